import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { listUsersForAdmins, SORTED } from '../../src/accounts/list-for-admins.ts';
import { readConfig } from '../../src/config.ts';
import { PLACES, type Place } from '../support/place.ts';
import { plansOn } from '../support/plans.ts';
import { ADA, newCaller, openStoreOn } from '../support/store.ts';

const OPERATIONS_URL = new URL('../../src/operations.ts', import.meta.url).href;
const NOW = 1_000;
/** A tenth of them are editors, which are few enough to be sorted. The members are not. */
const PEOPLE = 3 * SORTED;
const PER_PAGE = 97;
/** What finds a page of all accounts. */
const INDEXES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  SQLite: {
    id: /^SCAN users$/m,
    username: /^SCAN users USING COVERING INDEX sqlite_autoindex_users_1$/m,
    created_at: /^SCAN users USING COVERING INDEX users_created$/m,
    last_sign_in_at: /^SCAN users USING COVERING INDEX users_last_sign_in$/m,
  },
  PostgreSQL: {
    id: /^Limit .*\n +-> +Index Only Scan (Backward )?using users_pkey on users {2}\(/m,
    username: /^Limit .*\n +-> +Index Only Scan (Backward )?using users_username_key on users {2}\(/m,
    created_at: /^Limit .*\n +-> +Index Only Scan (Backward )?using users_created on users {2}\(/m,
    last_sign_in_at:
      /^Limit .*\n +-> +Index Only Scan (Backward )?using sign_in_order_last_sign_in on sign_in_order {2}\(/m,
  },
};
/** What reads all accounts, out of an index or not. */
const WHOLE = /^SCAN users\b|Seq Scan on users {2}\(/;
const SORTS = ['id', 'username', 'created_at', 'last_sign_in_at'] as const;

/**
 * An admin, people whose orders all differ, of whom some are closed and some were never signed in, and accounts that are
 * in no list: some that are being removed, and "deleted account".
 */
async function community(t: TestContext, place: Place) {
  const database = readConfig({ DATABASE_URL: place.url }).database;
  const store = await openStoreOn(t, database, { operationsUrl: OPERATIONS_URL });
  const caller = { ...(await newCaller(store, { ...ADA, role: 'admin' })), now: NOW };
  await place.sql(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PEOPLE})
      INSERT INTO users (username, username_key, email, email_key, password_hash, role, created_at, last_sign_in_at,
        disabled_at, closes_at, visible)
      SELECT 'u' || (i * 7919 % 10007), 'u' || (i * 7919 % 10007), 'e' || i, 'e' || i, 'x',
        CASE WHEN i % 10 = 0 THEN 'editor' ELSE 'member' END, i * 31 % 500, i,
        CASE WHEN i % 50 = 1 THEN 1 END,
        CASE i % 40 WHEN 0 THEN ${2 * NOW} WHEN 1 THEN ${NOW} WHEN 2 THEN 0 END,
        CASE WHEN i % 40 <= 2 THEN 0 ELSE 1 END FROM n`,
    `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at, visible)
      VALUES ('deleted account', 'deleted account', '', '', 'x', 1, 0)`,
    'UPDATE users SET last_sign_in_at = CASE WHEN id % 3 = 0 THEN NULL ELSE id * 17 % 900 END WHERE id > 1',
    'DELETE FROM users WHERE id = 100',
    'ANALYZE users',
  );
  return { store, caller };
}

/** Every account that is in the list, in no order. */
async function listed(place: Place) {
  const rows =
    await place.sql(`SELECT id, username, role, created_at, coalesce(last_sign_in_at, -1) AS signed_in FROM users
    WHERE username <> 'deleted account' AND (closes_at IS NULL OR closes_at > ${NOW})`);
  return rows.map(({ id, username, role, created_at, signed_in }) => ({
    id: Number(id),
    username: String(username),
    role: String(role),
    created_at: Number(created_at),
    last_sign_in_at: Number(signed_in),
  }));
}

for (const { name, newPlace } of PLACES) {
  it(`All pages of the list for admins together are a full sort of the accounts, in every order, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const { store, caller } = await community(t, place);
    const all = await listed(place);
    for (const role of [undefined, 'editor', 'member'] as const)
      for (const sort of SORTS) {
        const of = (account: (typeof all)[number]) => account[sort];
        const expected = all
          .filter((account) => role === undefined || account.role === role)
          .sort((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : a.id - b.id))
          .map(({ id }) => id);
        assert.equal(expected.length > SORTED, role !== 'editor');
        for (const [order, ids] of [
          [sort, expected],
          [`-${sort}`, expected.toReversed()],
        ] as const) {
          const query = { caller, keyword: '', sort: order, per_page: PER_PAGE, ...(role && { role }) };
          const found: number[] = [];
          for (let page = 1; page <= Math.ceil(ids.length / PER_PAGE) + 1; page++) {
            const { items, total } = await store.read(listUsersForAdmins, { ...query, page });
            assert.equal(total, ids.length);
            found.push(...items.map(({ id }) => id));
          }
          assert.deepEqual(found, ids, `${order} ${role}`);
        }
      }
  });

  it(`A page of all accounts is found in the index of its order only, wherever the page is, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const { caller } = await community(t, place);
    if (name === 'PostgreSQL') {
      // So few rows it would sort. It reads an index only where it knows that every transaction sees the rows.
      await place.sql(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$`,
        'VACUUM users, sign_in_order',
      );
    }
    const plansOf = await plansOn(t, place.url, listUsersForAdmins);
    for (const sort of SORTS) {
      const index = INDEXES[name]?.[sort];
      if (!index) continue;
      for (const order of [sort, `-${sort}`] as const)
        for (const page of [1, 15, 29]) {
          const steps = await plansOf({ caller, keyword: '', sort: order, per_page: 100, page });
          assert.match(steps.join('\n'), index, `${order}, page ${page}`);
        }
    }
  });

  it(`A list with a filter that few accounts match reads all accounts once, in any order, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const { caller } = await community(t, place);
    const plansOf = await plansOn(t, place.url, listUsersForAdmins);
    for (const sort of SORTS) {
      const steps = await plansOf({ caller, keyword: '', state: 'disabled', sort, per_page: 10, page: 2 });
      assert.equal(steps.filter((step) => WHOLE.test(step)).length, 1, `${sort}:\n${steps.join('\n')}`);
    }
  });
}

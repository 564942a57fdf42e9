import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setRole } from '../../src/accounts/administer.ts';
import { beginRemoval } from '../../src/accounts/removal.ts';
import { removeAuthor } from '../../src/content/personal-data.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { startSession } from '../../src/sign-in/login.ts';
import { restoreAccount } from '../../src/sign-in/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { exportAccounts } from '../../src/transfer/accounts/export.ts';
import {
  type Account,
  call,
  login,
  newAccount,
  newItem,
  newName,
  PASSWORD,
  refresh,
} from '../support/client.ts';
import { askToChange } from '../support/email.ts';
import { assertFailure } from '../support/expect.ts';
import { forget } from '../support/mail.ts';
import { passMinute } from '../support/minutes.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { PLACES, type Place } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** No mail server is there, so that mails go on waiting. */
const MAIL = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'a@stoa.example',
  PUBLIC_URL: 'http://stoa.example',
};
/** Columns that name an account by its id. */
const ACCOUNT_ID = /(^|_)(user|account|actor|author|owner)_id$/;
/** The trail keeps ids, and so does the feed of changes, for some days. */
const TRAIL = ['audit_events', 'changes', 'unnumbered_changes'].flatMap((table) =>
  ['account_id', 'actor_id', 'owner_id'].map((column) => `${table}.${column}`),
);

for (const { name, newPlace } of PLACES) {
  let place: Place;
  const engine = {
    name,
    settings: async (t: Parameters<typeof newPlace>[0]) => {
      place = await newPlace(t);
      return { DATABASE_URL: place.url };
    },
  };
  describeOnService(
    engine,
    `A closed account, on ${name}`,
    (service) =>
      // One after another: they move the clock of the service.
      describe('one after another', { concurrency: false }, () => {
        const ask = (method: string, path: string, token?: string, body?: object) =>
          call(service().url, method, path, { token, ...(body && { body }) });
        const enter = (path: string, username: string, password = PASSWORD) =>
          ask('POST', path, undefined, { username, password });
        const signIn = (username: string, password?: string) => enter('/api/auth/login', username, password);
        const restore = (username: string, password?: string) =>
          enter('/api/auth/restore', username, password);
        const total = async (path: string, token: string) => (await ask('GET', path, token)).body.data.total;
        const untilRemoved = async ({ id }: Pick<Account, 'id'>) => {
          const elapsed = stopwatch();
          passMinute();
          while ((await place.sql(`SELECT id FROM users WHERE id = ${id}`)).length > 0) {
            assert.ok(elapsed() < 60_000, 'it is still there');
            await pause(20);
          }
        };

        it('A closed account is in no list and has no sessions, and only its password restores it, with an event each time', async () => {
          const admin = await newWithRole(service(), 'admin');
          const { id, username, token, refreshToken, ...account } = await newAccount(service().url);
          const item = await newItem(service().url, token);
          const program = await newPersonalToken(service().url, { token });
          const before = await total('/api/users', admin.token);
          const active = await total('/api/users?view=admin&state=active', admin.token);

          const closed = await ask('DELETE', '/api/users/me', token);
          assert.equal(closed.status, 200, JSON.stringify(closed.body));
          const { removed_at } = closed.body.data;
          for (const each of [token, program])
            assertFailure(await ask('GET', '/api/users/me', each), 401, 'token_revoked');
          assertFailure(await refresh(service().url, refreshToken), 401, 'token_revoked');
          assert.equal(await total('/api/users', admin.token), before - 1);
          assert.equal(await total(`/api/users?keyword=${username}`, admin.token), 0);
          const seen = (await ask('GET', `/api/users/${id}`, admin.token)).body.data;
          assert.deepEqual([seen.state, seen.removed_at], ['closed', removed_at]);
          assert.equal(await total('/api/users?view=admin&state=closed', admin.token), 1);
          assert.equal(await total('/api/users?view=admin&state=active', admin.token), active - 1);
          const put = (body: object) =>
            call(service().url, 'PUT', `/api/users/${id}`, { token: admin.token, body });
          const disabled = await total('/api/users?view=admin&state=disabled', admin.token);
          assert.equal((await put({ disabled: true })).body.data.state, 'closed');
          assert.equal(await total('/api/users?view=admin&state=disabled', admin.token), disabled);
          assert.equal((await put({ disabled: false })).status, 200);
          assert.equal((await ask('GET', `/api/content/${item.id}`)).body.data.author.username, username);
          const mails = await place.sql(
            `SELECT * FROM mails WHERE recipient = '${account.email}' AND template LIKE 'account%'`,
          );
          assert.deepEqual(
            mails.map(({ template, template_values }) => [template, JSON.parse(String(template_values))]),
            [['account_closed', { username, removed_at }]],
          );

          assertFailure(await signIn(username, 'not the password'), 401, 'bad_credentials');
          // As a request that proved a password which was replaced a moment later.
          const replaced = { userId: id, checkedHash: 'an earlier hash', sendsMail: true, now: NOW };
          assert.equal(await service().store.write(restoreAccount, { ...replaced, origin: ORIGIN }), false);
          const refused = await signIn(username);
          assertFailure(refused, 403, 'account_closed');
          assert.ok(String(refused.body.message).includes(removed_at));
          // As a sign-in that was checked before the account was closed.
          const session = {
            sessionId: newName(),
            tokenHash: '',
            userId: id,
            most: 50,
            now: NOW,
            origin: null,
          };
          const [row] = await place.sql(`SELECT password_hash FROM users WHERE id = ${id}`);
          const checkedHash = String(row?.password_hash);
          assert.equal(await service().store.write(startSession, { ...session, checkedHash }), false);

          assertFailure(await restore(username, 'not the password'), 401, 'bad_credentials');
          assert.equal((await restore(username)).status, 200);
          assert.equal((await restore(username)).status, 200);
          assert.equal((await signIn(username)).status, 200);
          assert.equal(await total('/api/users', admin.token), before);
          const events = await ask('GET', `/api/audit?account=${id}&per_page=9`, admin.token);
          assert.deepEqual(
            events.body.data.items.map(({ event }: { event: string }) => event),
            [
              'signed_in',
              'proof_accepted',
              'account_restored',
              ...Array(3).fill('sign_in_failed'),
              'account_enabled',
              'account_disabled',
              'account_closed',
            ],
          );
        });

        it('A closed account is removed after its days with its content, and not a moment before', async () => {
          const { id, username, token } = await newAccount(service().url);
          const item = await newItem(service().url, token, { title: 'of the one who goes' });
          assert.equal((await ask('DELETE', '/api/users/me?content=delete', token)).status, 200);
          service().passTime(7 * DAY - 1);
          passMinute();
          await pause(100);
          assertFailure(await signIn(username), 403, 'account_closed');
          assert.equal((await ask('GET', `/api/content/${item.id}`)).status, 200);
          service().passTime(1);
          assertFailure(await signIn(username), 401, 'bad_credentials');
          assertFailure(await restore(username), 401, 'bad_credentials');
          await untilRemoved({ id });
          assertFailure(await ask('GET', `/api/content/${item.id}`), 404, 'not_found');
        });

        it('An account that an admin removes is gone at once from every answer, row, mail and index', async () => {
          const admin = await newWithRole(service(), 'admin');
          const mark = 'xylophone';
          const account = await newAccount(service().url, mark);
          const shared = await newAccount(service().url, 'xy1ophone');
          const [kept, other] = [
            await newItem(service().url, account.token, { title: 'it stays' }),
            await newItem(service().url, shared.token),
          ];
          await newPersonalToken(service().url, account);
          await forget(service().url, account.email);
          await until(async () => (await place.sql('SELECT * FROM links')).length > 0, 'the link is made');
          // Mails to another address of the account, to a stranger, and to its address as another account spells it.
          await askToChange(service().url, account.token, `${mark}.new@example.org`);
          await askToChange(service().url, shared.token, account.email.toUpperCase());
          await service().store.write(setRole, { account: mark, role: 'admin', now: NOW });
          const inviter = await login(service().url, mark);
          const guest = { email: 'guest@example.org', role: 'member' };
          assert.equal((await ask('POST', '/api/invitations', inviter.token, guest)).status, 200);
          assert.deepEqual(await placesOf(mark, account.id), [
            ...[
              'content.author_id',
              'known_devices.user_id',
              'links.email',
              'links.email_key',
              'links.user_id',
            ],
            ...['mails.account_id', 'mails.recipient', 'mails.template_values'],
            ...['sessions.user_id', 'username_skeletons.skeleton'],
            ...['users.email', 'users.email_key', 'users.username', 'users.username_key'],
          ]);

          const path = `/api/users/${account.id}`;
          const closedBefore = await total('/api/users?view=admin&state=closed', admin.token);
          assert.equal((await ask('DELETE', path, admin.token)).status, 200);
          for (const method of ['GET', 'DELETE'])
            assertFailure(await ask(method, path, admin.token), 404, 'not_found');
          assertFailure(await ask('PUT', path, admin.token, { disabled: false }), 404, 'not_found');
          assert.equal(await total('/api/users?view=admin&state=closed', admin.token), closedBefore);
          // Tests before have moved the clock.
          const now = NOW + 30 * DAY;
          const portable = await service().store.read(exportAccounts, { after: 0, limit: 100, now });
          assert.ok(portable.every(({ id }) => id !== account.id));
          assert.equal((await place.sql(`SELECT id FROM users WHERE id = ${account.id}`)).length, 1);
          assertFailure(await ask('GET', '/api/users/me', account.token), 401, 'token_revoked');
          assertFailure(await restore(mark), 401, 'bad_credentials');
          await untilRemoved(account);
          // "xy1ophone" looks the same, and keeps the skeleton until it goes too.
          assert.deepEqual(await placesOf(mark, account.id), ['username_skeletons.skeleton']);
          await ask('DELETE', `/api/users/${shared.id}`, admin.token);
          await untilRemoved(shared);
          assert.deepEqual(await placesOf(mark, account.id), []);
          assert.equal(await total(`/api/users?keyword=${mark}`, admin.token), 0);
          assertFailure(await ask('GET', path, admin.token), 404, 'not_found');

          const author = (await ask('GET', `/api/content/${kept.id}`)).body.data.author;
          assert.deepEqual(author, (await ask('GET', `/api/content/${other.id}`)).body.data.author);
          assert.equal(author.username, 'deleted account');
          const body = { username: 'deleted account', email: 'd@example.org', password: PASSWORD };
          assertFailure(await ask('POST', '/api/auth/register', undefined, body), 400, 'validation_failed');
          for (const login of ['deleted account', ''])
            assertFailure(await signIn(login, ''), 401, 'bad_credentials');
          for (const method of ['GET', 'DELETE'])
            assertFailure(await ask(method, `/api/users/${author.id}`, admin.token), 404, 'not_found');
          for (const view of ['', '?view=admin']) {
            const { items } = (await ask('GET', `/api/users${view}`, admin.token)).body.data;
            assert.ok(!items.some((item: { id: number }) => item.id === author.id));
          }
          await newAccount(service().url, mark);
        });

        it('A removed account frees its names and their look-alikes, and ends claims on its address', async () => {
          const admin = await newWithRole(service(), 'admin');
          const [account, other] = [await newAccount(service().url, 'cope'), await newAccount(service().url)];
          assert.equal((await ask('PUT', '/api/users/me', account.token, { username: 'hope' })).status, 200);
          await askToChange(service().url, other.token, account.email.toUpperCase());
          const claims = () =>
            place.sql(`SELECT user_id FROM links WHERE email_key = lower('${account.email}')`);
          assert.equal((await claims()).length, 1);
          // Cyrillic, and looks like "cope".
          const registerAgain = (email: string) =>
            ask('POST', '/api/auth/register', undefined, { username: 'соре', email, password: PASSWORD });
          assertFailure(await registerAgain('look@example.org'), 400, 'taken', { field: 'username' });
          await ask('DELETE', `/api/users/${account.id}`, admin.token);
          await untilRemoved(account);
          assert.deepEqual(await claims(), []);
          assert.equal((await registerAgain('look@example.org')).status, 200);
        });

        it('An account that an admin removed is not restored by an instance whose clock is behind', async () => {
          const admin = await newWithRole(service(), 'admin');
          const { id } = await newAccount(service().url);
          const [row] = await place.sql(`SELECT password_hash FROM users WHERE id = ${id}`);
          await ask('DELETE', `/api/users/${id}`, admin.token);
          const checked = {
            userId: id,
            checkedHash: String(row?.password_hash),
            sendsMail: false,
            now: NOW - 500,
          };
          assert.equal(await service().store.write(restoreAccount, { ...checked, origin: ORIGIN }), false);
          await untilRemoved({ id });
        });

        it('The answer to a restoration says that the account is open only where it is', async (t) => {
          const { id, username, token } = await newAccount(service().url);
          assert.equal((await ask('DELETE', '/api/users/me', token)).status, 200);
          const { store } = service();
          const write = store.write.bind(store);
          t.mock.method(store, 'write', async (...[operation, input]: Parameters<typeof write>) => {
            // Another request replaces the password after this one was checked.
            if (operation.name === restoreAccount.name)
              await place.sql(`UPDATE users SET password_hash = 'another' WHERE id = ${id}`);
            return write(operation, input);
          });
          assertFailure(await restore(username), 401, 'bad_credentials');
        });

        it('The owner of a closed account is told by mail when its password takes it back', async () => {
          const { username, email, token } = await newAccount(service().url);
          assert.equal((await ask('DELETE', '/api/users/me', token)).status, 200);
          for (let each = 0; each < 2; each++) assert.equal((await restore(username)).status, 200);
          const mails = await place.sql(`SELECT template FROM mails WHERE recipient = '${email}'`);
          const told = mails.filter(({ template }) => template === 'account_restored');
          assert.equal(told.length, 1, 'only the first one restored it');
        });

        it('The removal of an account removes what was counted for its id, which may last for weeks', async () => {
          const admin = await newWithRole(service(), 'admin');
          const { id, token } = await newAccount(service().url);
          assert.equal((await ask('PUT', '/api/users/me', token, { username: newName() })).status, 200);
          const counts = () =>
            place.sql(`SELECT key FROM guess_debts WHERE key = '${keyOf('name_change', id)}'`);
          assert.equal((await counts()).length, 1);
          await ask('DELETE', `/api/users/${id}`, admin.token);
          await untilRemoved({ id });
          assert.deepEqual(await counts(), []);
        });

        it('The removal of an account leaves the undo link that another account has to the same address', async () => {
          const admin = await newWithRole(service(), 'admin');
          const [{ id, email }, other] = [await newAccount(service().url), await newAccount(service().url)];
          const links = () => place.sql(`SELECT user_id FROM links WHERE email_key = '${email}'`);
          await place.sql(
            `INSERT INTO links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
             VALUES ('undo', 'revert_email', ${other.id}, '${email}', '${email}', '{}', ${NOW + 100 * DAY})`,
          );
          await ask('DELETE', `/api/users/${id}`, admin.token);
          await untilRemoved({ id });
          assert.equal((await links()).length, 1);
        });

        /** Every column of every table that has the mark as text, or the id of the account. */
        async function placesOf(mark: string, id: number): Promise<string[]> {
          const searches = (await columnsOf(place, name)).flatMap(({ table, column, type }) => {
            const isId = ACCOUNT_ID.test(column);
            if (!isId && type !== 'text') return [];
            const condition = isId ? `${column} = ${id}` : `lower(${column}) LIKE '%${mark}%'`;
            return `SELECT '${table}.${column}' AS place WHERE EXISTS (SELECT 1 FROM ${table} WHERE ${condition})`;
          });
          // In one statement: each would need a connection of its own, and there are hundreds of columns.
          const found = await place.sql(searches.join(' UNION ALL '));
          return found
            .map((row) => String(row.place))
            .filter((each) => !TRAIL.includes(each))
            .sort();
        }

        it('The last admin cannot be closed, and closing an account needs a recent sign-in', async () => {
          await place.sql(`UPDATE users SET role = 'member'`);
          const admin = await newWithRole(service(), 'admin');
          const member = await newAccount(service().url);
          for (const path of ['/api/users/me', `/api/users/${admin.id}`])
            assertFailure(await ask('DELETE', path, admin.token), 403, 'last_admin');
          service().passTime(11 * MINUTE);
          for (const [path, { token }] of [
            ['/api/users/me', member],
            [`/api/users/${member.id}`, admin],
          ] as const)
            assertFailure(await ask('DELETE', path, token), 403, 'recent_sign_in_required');
          const again = await login(service().url, admin.username);
          assertFailure(await ask('DELETE', '/api/users/999999', again.token), 404, 'not_found');
          assert.equal((await ask('GET', '/api/users/me', member.token)).status, 200);
        });
      }),
    MAIL,
    { clock: () => NOW },
  );

  it(`An interrupted removal continues at the next start, and the account cannot be restored, on ${name}`, async (t) => {
    const own = await newPlace(t);
    const settings = async () => ({ DATABASE_URL: own.url, DELETION_DAYS: '0' });
    // The removal that this test begins stays where it is, although a job of this service goes on with such ones.
    const before = (operation: string) => {
      if (operation === removeAuthor.name) throw new Error('This service removes nothing.');
    };
    const wrap = (store: Store) => observed(store, { before });
    const first = await startService(t, { name, settings }, {}, { wrap });
    const account = await newAccount(first.url);
    await own.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
      INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
      SELECT ${account.id}, 't', '', '', '[]', 1, 0, 0 FROM n`);
    await own.sql(`UPDATE users SET visible = 0, closes_at = ${Date.now() + DAY} WHERE id = ${account.id}`);
    const now = Date.now() + DAY;
    const begin = (time: number) => first.store.write(beginRemoval, { id: account.id, now: time });
    assert.equal(await begin(now - MINUTE), undefined, 'its time has not come');
    const removal = await begin(now + MINUTE);
    assert.ok(removal);
    assert.equal(await first.store.write(removeAuthor, removal), true);
    assertFailure(
      await call(first.url, 'POST', '/api/auth/restore', {
        body: { username: account.username, password: PASSWORD },
      }),
      401,
      'bad_credentials',
    );
    // As a request that proved the password a moment before.
    const [row] = await own.sql(`SELECT password_hash FROM users WHERE id = ${account.id}`);
    const proved = {
      userId: account.id,
      checkedHash: String(row?.password_hash),
      sendsMail: false,
      now: Date.now(),
    };
    const origin = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
    await first.store.write(restoreAccount, { ...proved, origin });
    const [still] = await own.sql(`SELECT closes_at FROM users WHERE id = ${account.id}`);
    assert.equal(String(still?.closes_at), '0');
    const left = () => own.sql(`SELECT id FROM content WHERE author_id = ${account.id}`);
    assert.equal((await left()).length, 150);
    await first.stop();
    const second = await startService(t, { name, settings });
    const elapsed = stopwatch();
    while ((await own.sql(`SELECT id FROM users WHERE id = ${account.id}`)).length > 0) {
      assert.ok(elapsed() < 60_000, 'it is still there');
      await pause(20);
    }
    assert.deepEqual(await left(), []);
    assert.equal((await call(second.url, 'GET', '/api/content')).body.data.total, 250);
  });
}

async function columnsOf(place: Place, engine: string) {
  const rows = await place.sql(
    engine === 'SQLite'
      ? `SELECT m.name AS "table", p.name AS "column", lower(p.type) AS type
          FROM sqlite_schema AS m, pragma_table_info(m.name) AS p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
      : `SELECT c.table_name AS "table", c.column_name AS "column", c.data_type AS type
          FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
          WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'`,
  );
  assert.ok(rows.length > 50);
  return rows.map(({ table, column, type }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
  }));
}

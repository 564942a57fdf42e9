import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { listEvents } from '../../src/audit/list.ts';
import { exportEvents } from '../../src/audit/personal-data.ts';
import { exportContent } from '../../src/content/personal-data.ts';
import { expiriesOf } from '../../src/features.ts';
import { removeExpired } from '../../src/services/expiry.ts';
import { makeRoomForSession } from '../../src/sessions/limit.ts';
import { exportSessions } from '../../src/sessions/personal-data.ts';
import { kyselyOn, sqliteEngine } from '../../src/store/sqlite/dialect.ts';
import { temporaryFolder } from '../support/engines.ts';
import { newCaller, openStoreOn } from '../support/store.ts';

type Filter = Omit<Parameters<typeof listEvents.run>[1], 'page' | 'per_page'>;

const TIME = { since: 1, until: 2 };
const FILTERS: Record<string, Filter> = {
  audit_events_event: { event: 'signed_in' },
  audit_events_account: { account: 1 },
  audit_events_actor: { actor: 1 },
  audit_events_address: { address: 'a' },
};

/** A SQLite database with the schema, and what tells how it runs the first statement of some work. */
async function newPlanner(t: TestContext) {
  const file = join(await temporaryFolder(t), 'stoa.db');
  await openStoreOn(t, { kind: 'sqlite', file });
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  database.function('stoa_in_time', () => 1);
  const prepared = t.mock.method(database, 'prepare');
  return async (work: (db: ReturnType<typeof kyselyOn>) => Promise<unknown>) => {
    prepared.mock.resetCalls();
    // Statements are prepared once for each Kysely instance.
    await work(kyselyOn(database));
    const [statement = ''] = prepared.mock.calls.map(({ arguments: [sql] }) => sql);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    return { statement, plan: plan.map(({ detail }) => String(detail)).join() };
  };
}

it('The audit trail is counted by an index only on SQLite, for each filter with a time and without', async (t) => {
  const planner = await newPlanner(t);
  const planOf = async (filter: Filter) => {
    const { statement, plan } = await planner((db) =>
      listEvents.run(db, { page: 1, per_page: 20, ...filter }, sqliteEngine),
    );
    assert.match(statement, /count\(\*\)/);
    return plan;
  };
  for (const [index, filter] of Object.entries(FILTERS))
    for (const each of [filter, { ...filter, ...TIME }])
      assert.match(await planOf(each), new RegExp(`^SEARCH audit_events USING COVERING INDEX ${index} \\(`));
  assert.match(
    await planOf(TIME),
    /^SEARCH audit_events USING COVERING INDEX audit_events_at \(at>\? AND at<\?\)$/,
  );
  assert.match(await planOf({}), /^SCAN audit_events USING COVERING INDEX /);
});

it('A sign-in finds the ended sessions that it removes by an index on SQLite, and looks at no living one', async (t) => {
  const planner = await newPlanner(t);
  const account = { userId: 1, now: 1, most: 50, origin: null };
  const { statement, plan } = await planner((db) => makeRoomForSession(db, account, sqliteEngine));
  assert.match(statement, /^delete from "sessions"/);
  assert.match(plan, /SEARCH sessions USING COVERING INDEX sessions_ended \(user_id=\?/);
  assert.ok(!plan.includes('ORDER BY'), plan);
});

it('A page of an export is found by an index on SQLite from its first row on, and nothing is sorted', async (t) => {
  const planner = await newPlanner(t);
  const pages = [
    [exportContent, [1, 7], 'content USING INDEX content_author (author_id=? AND visible=? AND id>?)'],
    [exportSessions, ['x'], 'sessions USING INDEX sessions_user (user_id=? AND id>?)'],
    [exportEvents, [7], 'audit_events USING INDEX audit_events_account (account_id=? AND id>?)'],
  ] as const;
  for (const [{ run }, after, expected] of pages) {
    const { plan } = await planner((db) => run(db, { userId: 1, after }, sqliteEngine));
    assert.ok(plan.startsWith(`SEARCH ${expected}`), plan);
    assert.ok(!plan.includes('ORDER BY'), plan);
  }
});

it('Rows that expire are found by an index on SQLite, the oldest first, and nothing is sorted', async (t) => {
  const planner = await newPlanner(t);
  for (const { most: _, ...expiry } of expiriesOf({ auditDays: 1 })) {
    const removal = { ...expiry, now: 1, limit: 1 };
    const { statement, plan } = await planner((db) => removeExpired.run(db, removal, sqliteEngine));
    assert.match(statement, /^\s*delete from/);
    const { table, key, column } = expiry;
    assert.match(plan, new RegExp(`^SEARCH ${table} USING .*\\(${key === 'id' ? '(id|rowid)' : key}=\\?\\)`));
    assert.match(plan, new RegExp(`SEARCH ${table} USING (COVERING )?INDEX \\w+ \\(${column}<\\?\\)`));
    assert.ok(!plan.includes('ORDER BY'), plan);
  }
});

it('No statistics of SQLite decide a plan: a stop makes none, and a start removes those that another tool made', async (t) => {
  const file = join(await temporaryFolder(t), 'stoa.db');
  const open = () => openStoreOn(t, { kind: 'sqlite', file });
  const statistics = (...before: string[]) => {
    using database = new DatabaseSync(file);
    for (const statement of before) database.exec(statement);
    return database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'").all();
  };
  const store = await open();
  await newCaller(store);
  await store.close();
  assert.deepEqual(statistics(), []);
  assert.equal(statistics('ANALYZE').length, 1);
  await (await open()).close();
  assert.deepEqual(statistics(), []);
});

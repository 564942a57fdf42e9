import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { listEvents } from '../../src/audit/list.ts';
import { kyselyOn } from '../../src/store/sqlite/dialect.ts';
import { sqliteEngine } from '../../src/store/sqlite/engine.ts';
import { temporaryFolder } from '../support/engines.ts';
import { openStoreOn } from '../support/store.ts';

type Filter = Omit<Parameters<typeof listEvents.run>[1], 'page' | 'per_page'>;

const TIME = { since: 1, until: 2 };
const FILTERS: Record<string, Filter> = {
  audit_events_event: { event: 'signed_in' },
  audit_events_account: { account: 1 },
  audit_events_actor: { actor: 1 },
  audit_events_address: { address: 'a' },
};

it('The audit trail is counted by an index alone on SQLite, for each filter with a time and without', async (t) => {
  const file = join(await temporaryFolder(t), 'stoa.db');
  await openStoreOn(t, { kind: 'sqlite', file });
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  database.function('stoa_in_time', () => 1);
  const prepared = t.mock.method(database, 'prepare');
  const planOf = async (filter: Filter) => {
    prepared.mock.resetCalls();
    // Statements are prepared once for each Kysely instance.
    await listEvents.run(kyselyOn(database), { page: 1, per_page: 20, ...filter }, sqliteEngine);
    const [count] = prepared.mock.calls.map(({ arguments: [sql] }) => sql);
    assert.match(count ?? '', /count\(\*\)/);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${count}`).all();
    return plan.map(({ detail }) => String(detail)).join();
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

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { readConfig } from '../../src/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { expiriesOf, TABLES } from '../../src/features.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { recordFailedSignIn } from '../../src/services/audit/failed-sign-in.ts';
import { BATCH, expiryJob } from '../../src/services/expiry.ts';
import type { LiveTable } from '../../src/store/move-end.ts';
import { readOperation } from '../../src/store/operation.ts';
import { insertRows, type Row, type Value } from '../../src/transfer/rows.ts';
import { onEveryEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { passMinute } from '../support/minutes.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const AUDIT_DAYS = 90;
const NOW = Date.UTC(2030, 0, 1);
/** More than one write removes. */
const DUE = BATCH + 1;

/** Columns that take no value but these; any text and any number will do for the others. */
const VALUES: Row = {
  kind: 'verify',
  account_id: null,
  role: 'member',
  visible: 1,
  second_factor: 0,
  must_change_password: 0,
  closes_at: null,
  closing_content: null,
  scope: null,
  ended_because: null,
  slot: null,
  // Nothing is sent by a paused webhook, and each of `fill` has a time at which it was paused.
  paused_because: null,
  status: 'waiting',
};

it('Rows of each table are removed some days after their time, and the oldest beyond the most of the table', () => {
  const kept = expiriesOf({ auditDays: AUDIT_DAYS }).map(({ table, after, most }) => [table, [after, most]]);
  assert.deepEqual(Object.fromEntries(kept), {
    guess_debts: [0, 200_000],
    known_devices: [90 * DAY_MS, undefined],
    sessions: [DAY_MS, undefined],
    links: [0, undefined],
    totp_secrets: [HOUR_MS, undefined],
    used_challenges: [MINUTE_MS, undefined],
    second_factor_challenges: [0, undefined],
    setup_links: [0, undefined],
    mails: [DAY_MS, undefined],
    idempotency_keys: [0, undefined],
    webhook_secrets: [0, undefined],
    webhook_deliveries: [7 * DAY_MS, 100_000],
    event_tickets: [0, undefined],
    audit_events: [AUDIT_DAYS * DAY_MS, undefined],
  });
});

onEveryEngine('Expired rows', (engine) => {
  it('Expired rows of every table are removed within a minute, however many, and no others', async (t) => {
    const database = await sameDatabase(t, engine);
    const settings = { AUDIT_DAYS: String(AUDIT_DAYS) };
    const { store, passTime } = await startService(t, database, settings, { clock: () => NOW });
    const expected = await fill(database);
    // On SQLite, all reads of one turn of the event loop see one state.
    await pause(1);
    assert.deepEqual(Object.keys(expected).toSorted(), TABLES.expires.map(({ table }) => table).toSorted());
    const left = () => store.read(readKeys, null);
    for (const [table, keys] of Object.entries(await left())) assert.equal(keys.length, DUE + 2, table);
    passTime(1);
    passMinute();
    const isDone = async () => Object.values(await left()).every((keys) => keys.length <= 2);
    await until(isDone, 'every table has at most two rows left');
    assert.deepEqual(await left(), expected);
  });

  it('A table that cannot be cleaned fails the job, and the tables behind it are cleaned', async (t) => {
    const { store } = await startService(t, engine, {}, { clock: () => NOW });
    const origin = { address: '127.0.0.1', source: '127.0.0.1', requestId: 'one' };
    await store.write(recordFailedSignIn, { accountId: null, at: NOW, origin });
    const events = { table: 'audit_events', key: 'id', column: 'at', after: 0 };
    const expiries = [{ ...events, table: 'no_such_table' }, events];
    const job = expiryJob(expiries, store, () => NOW);
    await assert.rejects(job.run(AbortSignal.abort()), /no_such_table/);
    // On SQLite, all reads of one turn of the event loop see one state.
    await pause(1);
    assert.deepEqual(await store.read(readEvents, null), []);
  });
});

const readEvents = readOperation('test.read_events', (db, _: null) =>
  db.selectFrom('audit_events').select('id').execute(),
);

/** The keys of the rows that `fill` made, by table. */
const readKeys = readOperation('test.read_keys', async (db, _: null) => {
  const keys: Record<string, Value[]> = {};
  for (const { table, key } of TABLES.expires) {
    const { rows } = await sql<{
      key: Value;
    }>`select ${sql.ref(key)} as key from ${sql.table(table)}`.execute(db);
    keys[table] = rows
      .map((row) => row.key)
      .filter(isOurs)
      .toSorted();
  }
  return keys;
});

function isOurs(key: Value): boolean {
  return typeof key === 'number' ? key > DUE : /^\d+ of /.test(String(key));
}

/**
 * Puts rows into every table that expires: more than one write removes whose time is over in a millisecond, one that has
 * another millisecond, and one more that never expires, or later. Returns the keys of the latter two, by table.
 */
async function fill(engine: TestEngine): Promise<Record<string, Value[]>> {
  const end = await openMoveEnd(readConfig(await engine.settings({ after: () => {} })).database, 'target');
  const expiries = expiriesOf({ auditDays: AUDIT_DAYS });
  const live = new Map((await end.tables()).map((table) => [table.name, table]));
  const ending = [...live.values()].filter(({ columns }) =>
    columns.some(({ name }) => name === 'expires_at'),
  );
  for (const { name } of ending)
    assert.ok(
      expiries.some(({ table }) => table === name),
      `${name} is never cleaned`,
    );
  const tableOf = (name: string) => live.get(name) ?? assert.fail(name);
  const stay: Record<string, Value[]> = {};
  await end.transaction(async (db) => {
    for (const parents of [tableOf('users'), tableOf('webhooks')])
      await insertRows(
        db,
        parents,
        Array.from({ length: DUE + 2 }, (_, index) => ({ ...rowOf(parents, index), id: index + 1 })),
      );
    for (const { table: name, key, column, after, unset } of expiries) {
      const table = tableOf(name);
      const rows = Array.from({ length: DUE + 2 }, (_, index) => {
        const isLast = index > DUE;
        const time = NOW + 1 - after + (index < DUE || (isLast && unset) ? 0 : 1);
        return { ...rowOf(table, index), [column]: time, ...(unset && { [unset]: isLast ? 1 : null }) };
      });
      await insertRows(db, table, rows);
      stay[name] = rows
        .slice(DUE)
        .map((row) => row[key] ?? null)
        .toSorted();
    }
  });
  await end.close();
  return stay;
}

/** A row of some values, each in one row of the table only. The users and webhooks of `fill` have the first ids. */
function rowOf({ name, columns }: LiveTable, index: number): Row {
  const value = (column: string, type: string): Value => {
    if (column in VALUES) return VALUES[column] ?? null;
    if (column === 'user_id' || column === 'invited_by' || column === 'webhook_id') return index + 1;
    // That session stays, so no ticket ends with it.
    if (column === 'session_id') return `${DUE + 1} of sessions`;
    return type === 'integer' ? 2 * DUE + index : `${index} of ${name}`;
  };
  return Object.fromEntries(columns.map(({ name: column, type }) => [column, value(column, type)]));
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { TABLES } from '../../src/features.ts';
import { openStore } from '../../src/open-store.ts';
import { SITE } from '../support/authenticator.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { askEveryRoute } from '../support/every-route.ts';
import { EXPLAINED_IN, type Explained } from '../support/explaining-operations.ts';
import { NOW } from '../support/good-request.ts';
import { passMinute } from '../support/minutes.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';

const SETTINGS = { SMTP_URL: 'log', PUBLIC_URL: SITE.origin };
const DAY = 24 * 60 * 60_000;
const OPERATIONS_URL = new URL('../support/explaining-operations.ts', import.meta.url).href;
/** Statements of jobs, by which the test knows that the jobs have run. */
const MINUTELY = [
  '"closes_at" <= ? order by',
  '"free_at" <= ',
  '"next_attempt_at" <= ',
  'delete from "sessions"',
];
/** What may read all rows of a table, or all rows of an index in its order. */
const ALLOWED = [
  // These have a few rows: the steps of the schema and of a move, the keys of a service, one row.
  /^SCAN (migrations USING INDEX \w+|move_progress USING COVERING INDEX \w+|signing_keys|database_id|users_total|content_total|content_members_total|backup_state|backup_sending): /,
  // There is one row for each kind of label.
  /^SCAN label_renames: /,
  // There are 20 webhooks at most.
  /^SCAN webhooks(?= |:)/,
  // An index is followed for as many rows as the table may have at most.
  /^SCAN guess_debts USING COVERING INDEX guess_debts_empty: /,
  /^SCAN webhook_deliveries USING COVERING INDEX webhook_deliveries_made: /,
  /^SCAN mails USING (COVERING )?INDEX mails_next_attempt: /,
  // In the order of the key, as many rows as the limit says.
  /^SCAN (unnumbered_changes|changes|label_changes): select .* order by "(place|number)"( desc)? limit (\?|cast\(\? as integer\))$/,
  // This index has the items without a slug only, and their first one is asked for.
  /^SCAN content USING INDEX content_unnamed: .* limit \?$/,
  // The mails that wait are bounded.
  /^SCAN mails: delete from "mails" where "recipient"/,
  // This index has the admins only.
  /^SCAN users USING INDEX users_admins: /,
  // Figures for admins: they stop counting, and the newest event is the first in the order of the key.
  /^SCAN (sessions USING INDEX sessions_living|webhook_deliveries USING COVERING INDEX webhook_deliveries_due): .* limit \?\) as counted$/,
  /^SCAN audit_events: select "at" from "audit_events" order by "id" desc limit \?$/,
  // The whole trail is counted and listed within a time that is bounded.
  /^SCAN audit_events.* stoa_in_time\(\)/,
];

it('No statement of a request or of a job that runs each minute reads a whole large table on SQLite', async (t) => {
  const file = join(await temporaryFolder(t), 'explained');
  process.env[EXPLAINED_IN] = file;
  t.after(() => delete process.env[EXPLAINED_IN]);
  const settings = { ...SETTINGS, ...(await sqlite.settings(t)) };
  const store = await openStore(readConfig(settings).database, { operationsUrl: OPERATIONS_URL });
  t.after(() => store.close());
  const engine = { name: sqlite.name, settings: async () => settings };
  const service = await startService(t, engine, {}, { wrap: () => store, clock: () => NOW });
  await askEveryRoute(service, SETTINGS);
  service.passTime(400 * DAY);
  passMinute();
  const elapsed = stopwatch();
  let explained: Explained[] = [];
  // The removal of a closed account is what comes last.
  while (!explained.some(({ sql }) => sql.startsWith('delete from "users"'))) {
    assert.ok(elapsed() < 20_000, 'No account was removed.');
    await pause(100);
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    explained = lines.map((line): Explained => JSON.parse(line));
  }
  for (const sql of MINUTELY)
    assert.ok(
      explained.some((each) => each.sql.includes(sql)),
      sql,
    );
  const whole = explained.flatMap(({ sql, plan }) =>
    plan.filter((step) => isWhole(step)).map((step) => `${step}: ${sql.replaceAll(/\s+/g, ' ')}`),
  );
  const unknown = whole.filter((each) => !ALLOWED.some((allowed) => allowed.test(each)));
  assert.deepEqual(unknown, []);
  for (const allowed of ALLOWED)
    assert.ok(
      whole.some((each) => allowed.test(each)),
      `Nothing is ${allowed}.`,
    );
});

/** Does the step of a plan read all rows of a table of ours? FTS5 calls it `0:=` where it looks one row up by its id. */
function isWhole(step: string): boolean {
  const [, table = ''] = /^SCAN (\w+)\b(?! VIRTUAL TABLE INDEX 0:=$)/.exec(step) ?? [];
  return TABLES.carried.includes(table) || TABLES.derived.includes(table);
}

// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { printAudit } from '../../src/cli/audit.ts';
import { migrateDatabase } from '../../src/cli/migrate.ts';
import { readConfig } from '../../src/config.ts';
import { planMigration } from '../../src/migrate-store.ts';
import { call, login, newAccount } from '../support/client.ts';
import { type CommandResult, stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { oldDatabase } from '../support/earlier-version.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { giveRole, makeAdmin } from '../support/make-admin.ts';
import { execOn } from '../support/place.ts';
import { startHere } from '../support/service.ts';
import { slowRows } from '../support/slow-rows.ts';

/** `stoa audit` in this process. */
function audit(
  settings: Record<string, string>,
  wanted: { readonly event?: string; readonly account?: string },
) {
  return commandHere(settings, (config) => printAudit(config, { limit: '100', ...wanted }));
}

/** The printed events without their times. */
function eventsIn({ code, stdout, stderr }: CommandResult) {
  assert.deepEqual([code, stderr], [0, '']);
  const [database, ...events] = stdout.trimEnd().split('\n');
  assert.match(database ?? '', /^Database: /);
  return events.map((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}(.*)$/.exec(line)?.[1]);
}

onEveryEngine('`stoa audit`', (engine) => {
  it('`stoa audit` shows the last events of a running server, newest last, by event and account', async (t) => {
    const settings = await engine.settings(t);
    const { url } = await startHere(t, settings);
    const ada = await newAccount(url, 'ada');
    const wrong = await call(url, 'POST', '/api/auth/login', {
      body: { username: 'ada', password: 'wrong' },
    });
    await newAccount(url, 'bob');
    await login(url, 'bob');
    await makeAdmin(settings, 'root');
    await giveRole(settings, 'editor', { username: 'bob' });

    const all = eventsIn(await audit(settings, {}));
    const words = all.map((line) => line?.split(/ {2,}/).slice(0, 2).join(' '));
    const ofBob = ['registered bob', 'signed_in bob', 'signed_in bob'];
    const ofAda = ['registered ada', 'signed_in ada', 'sign_in_failed ada'];
    const end = ['admin_created root', 'role_changed bob'];
    assert.deepEqual(words, ['signing_key_added -', ...ofAda, ...ofBob, ...end]);
    assert.deepEqual(all.at(-1)?.split(/ {2,}/).slice(2), ['from=member', 'to=editor']);
    const id = wrong.headers.get('x-request-id');
    assert.deepEqual(all[3]?.split(/ {2,}/).slice(2), ['address=127.0.0.1', `request=${id}`]);
    assert.deepEqual(eventsIn(await audit(settings, { account: ada.email.toUpperCase() })), all.slice(1, 4));
    assert.deepEqual(eventsIn(await audit(settings, { event: 'signed_in', account: 'root' })), []);
    const ofProcess = await stoa(['audit', '--event', 'signed_in', '--account', 'bob', '--limit', '1'], {
      settings,
    });
    assert.deepEqual(eventsIn(ofProcess), [all[6]]);
  });

  if (engine.name === 'PostgreSQL')
    it('`stoa audit` prints the last events of a trail that cannot be counted in time', async (t) => {
      const settings = await engine.settings(t);
      await execOn(
        settings,
        `INSERT INTO audit_events (at, event, detail)
          SELECT each, 'signed_in', '{"number":"' || each || '"}' FROM generate_series(1, 700) AS each`,
      );
      await slowRows(settings, 'audit_events', 5);
      const { code, stdout, stderr } = await audit(settings, {});
      assert.equal(code, 0, stderr);
      const numbers = [...stdout.matchAll(/number=(\d+)$/gm)].map(([, number]) => Number(number));
      assert.deepEqual(
        numbers,
        Array.from({ length: 100 }, (_, index) => 601 + index),
      );
    });

  it('A command leaves the tables of an older version as they are, and says how to bring them up to date', async (t) => {
    const settings = await oldDatabase(t, engine);
    const { database } = readConfig(settings);
    const missing = await planMigration(database);
    const { code, stdout, stderr } = await audit(settings, {});
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^The database .+ has the schema of an older version; run "npm run stoa -- backup" of the version that made it, and then "npm run stoa -- migrate" of this one\.\n$/,
    );
    assert.deepEqual(await planMigration(database), missing);
    assert.equal((await commandHere(settings, migrateDatabase)).code, 0);
    assert.equal((await audit(settings, {})).code, 0);
  });
});

onOneEngine('Options of `stoa audit`', (engine) => {
  it('`stoa audit` says in one line what is wrong with its options', async (t) => {
    const settings = await engine.settings(t);
    for (const [wanted, says] of [
      [{ event: 'signed' }, 'The event must be one '],
      [{ account: 'nobody' }, 'There is no such accou'],
    ] as const) {
      const { code, stderr } = await audit(settings, wanted);
      assert.deepEqual([code, stderr.slice(0, 22), stderr.split('\n').length], [1, says, 2]);
    }
    // It is refused at the same place as the event.
    for (const limit of ['0', 'x', '10001'])
      await assert.rejects(printAudit(readConfig(settings), { limit }), {
        message: `The limit must be a whole number from 1 to 10000, not "${limit}".`,
      });
  });
});

// Needs: processes.

import assert from 'node:assert/strict';
import files, { readdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, before, it, mock } from 'node:test';
import { CLAIM_MS, claimBackup, LOST, readBackupState } from '../../src/backups/state.ts';
import { readConfig } from '../../src/config.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { call, login } from '../support/client.ts';
import { onEveryEngine, onOneEngine, sameDatabase, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { execOn } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { openStoreOn } from '../support/store.ts';
import { untilThere } from '../support/until.ts';

const { opendir } = files;
/** How folders are opened that a test has something happen to. One list for all: the tests run at once. */
const opening = new Map<unknown, () => ReturnType<typeof opendir>>();
before(() => {
  const open = (...args: Parameters<typeof opendir>) => opening.get(args[0])?.() ?? opendir(...args);
  mock.method(files, 'opendir', open);
  syncBuiltinESMExports();
});
after(() => {
  mock.restoreAll();
  syncBuiltinESMExports();
});

onEveryEngine('Backups that an admin asks for', (engine) => {
  it('An admin asks for a backup without BACKUP_EVERY, and it is made, proved, listed and in the trail once', async (t) => {
    const BACKUP_DIR = await temporaryFolder(t);
    const settings = await engine.settings(t);
    const service = await startService(t, { ...engine, settings: async () => settings }, { BACKUP_DIR });
    const { url } = service;
    const { token, id } = await newWithRole(service, 'admin');
    assert.deepEqual((await list(url, token)).items, []);
    const asked = await Promise.all([1, 2, 3].map(() => call(url, 'POST', '/api/backups', { token })));
    for (const { status, body } of asked) {
      assert.equal(status, 200);
      assert.match(body.data.doing, /asked|under_way/);
    }
    const made = await untilThere(async () => {
      const found = await list(url, token);
      return found.items[0]?.proved_at && found.state.doing === 'nothing' ? found : undefined;
    }, 'the backup is proved');
    const [name = ''] = await readdir(BACKUP_DIR);
    assert.deepEqual([made.total, made.items[0].name], [1, name]);
    assert.ok(made.items[0].bytes > 0);
    assert.equal(made.state.problem, undefined);
    assert.ok(made.state.made_at <= made.state.proved_at);
    // "stoa backup" proves nothing, and its files have the same names.
    await writeFile(join(BACKUP_DIR, 'stoa-20200102T030405Z.ndjson.zst'), 'x');
    await writeFile(join(BACKUP_DIR, 'stoa-20210102T030405Z.unproved.zst'), 'x');
    await writeFile(join(BACKUP_DIR, 'notes.txt'), 'x');
    const { items, total } = await list(url, token);
    assert.equal(total, 3);
    assert.deepEqual(
      items.map((each: { begun_at: string; proved_at?: string }) => [
        each.begun_at.slice(0, 4) > '2021' ? 'now' : each.begun_at,
        each.proved_at !== undefined,
      ]),
      [
        ['now', true],
        ['2021-01-02T03:04:05.000Z', false],
        ['2020-01-02T03:04:05.000Z', false],
      ],
    );
    const { body } = await call(url, 'GET', '/api/audit?event=backup_requested', { token });
    assert.deepEqual([body.data.total, body.data.items[0].actor.id], [1, id]);
    // An earlier version of Stoa noted the proof of the newest one in the state only.
    await execOn(settings, 'DELETE FROM proved_backups');
    assert.equal((await list(url, token)).items[0].proved_at, made.state.proved_at);
    assert.equal((await call(url, 'GET', '/readyz')).body.data.checks?.backups, undefined);
  });
});

onOneEngine('Asking for a backup', (engine) => {
  it('A BACKUP_DIR on a share that hangs is listed once, and each who asks meanwhile gets 503 within seconds', async (t) => {
    const BACKUP_DIR = await temporaryFolder(t);
    const service = await startService(t, engine, { BACKUP_DIR });
    const { token } = await newWithRole(service, 'admin');
    const hangs = Promise.withResolvers<Awaited<ReturnType<typeof opendir>>>();
    let listed = 0;
    opening.set(BACKUP_DIR, () => {
      listed++;
      return hangs.promise;
    });
    const ask = () => call(service.url, 'GET', '/api/backups', { token });
    for (const answer of await Promise.all([1, 2, 3, 4, 5].map(ask)))
      assertFailure(answer, 503, 'unavailable');
    assert.equal(listed, 1);
    opening.delete(BACKUP_DIR);
    hangs.resolve(await opendir(BACKUP_DIR));
    assert.deepEqual((await list(service.url, token)).items, []);
  });

  it('A list of backups whose BACKUP_DIR may not be read is 503, says so, and has the cause in the log', async (t) => {
    const BACKUP_DIR = await temporaryFolder(t);
    const service = await startService(t, engine, { BACKUP_DIR });
    const { token } = await newWithRole(service, 'admin');
    opening.set(BACKUP_DIR, async () => {
      throw Object.assign(new Error('EACCES: permission denied, opendir'), { code: 'EACCES' });
    });
    const answer = await call(service.url, 'GET', '/api/backups', { token });
    assertFailure(answer, 503, 'unavailable');
    assert.match(String(answer.body.message), /may not read the folder of the backups/);
    assert.ok(service.log.some((line) => line.includes('EACCES: permission denied, opendir')));
  });

  it('Asking for a backup takes a recent sign-in, and while one is under way nothing is added', async (t) => {
    const service = await startService(t, engine, { BACKUP_DIR: await temporaryFolder(t) });
    const { token, username } = await newWithRole(service, 'admin');
    const now = Date.now();
    const claim = { by: 'other', now, until: now + MINUTE_MS, every: 1, again: 1 };
    await service.store.write(claimBackup, claim);
    const { body } = await call(service.url, 'POST', '/api/backups', { token });
    assert.equal(body.data.doing, 'under_way');
    service.passTime(11 * MINUTE_MS);
    const late = await call(service.url, 'POST', '/api/backups', { token });
    assertFailure(late, 403, 'recent_sign_in_required');
    const { state } = await list(service.url, (await login(service.url, username)).token);
    assert.deepEqual([state.doing, state.problem], ['nothing', LOST]);
    const { body: events } = await call(service.url, 'GET', '/api/audit?event=backup_requested', { token });
    assert.equal(events.data.total, 0);
  });

  it('A backup that an admin asked for is made by another instance where the one that began it was lost', async (t) => {
    const database = await sameDatabase(t, engine);
    const settings = await database.settings(t);
    const operationsUrl = new URL('../../src/operations.ts', import.meta.url).href;
    const lost = await openStoreOn(t, readConfig(settings).database, { operationsUrl });
    await execOn(settings, 'UPDATE backup_state SET asked_at = 1');
    const now = Date.now();
    const claim = { by: 'lost', now: now - CLAIM_MS, until: now, every: undefined, again: 1 };
    assert.equal((await lost.write(claimBackup, claim))?.asked_at, 1);

    const { store } = await startService(t, database, { BACKUP_DIR: await temporaryFolder(t) });
    const { failed_at, asked_at } = await untilThere(async () => {
      const state = await store.read(readBackupState, null);
      return state.proved_at === null ? undefined : state;
    }, 'the backup is proved');
    assert.deepEqual([failed_at, asked_at], [null, null]);
  });

  it('A backup that failed says why without a path of the machine', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'file'), '');
    const service = await startService(t, engine, { BACKUP_DIR: join(folder, 'file', 'backups') });
    const { token } = await newWithRole(service, 'admin');
    await call(service.url, 'POST', '/api/backups', { token });
    const { state, items } = await untilThere(async () => {
      const found = await list(service.url, token);
      return found.state.failed_at === undefined ? undefined : found;
    }, 'the backup fails');
    assert.deepEqual(items, []);
    assert.match(state.problem, /^ENOTDIR: .*BACKUP_DIR/);
    assert.ok(!state.problem.includes(folder));
    // It is not tried again without BACKUP_EVERY.
    assert.equal(state.doing, 'nothing');
    const lines = service.log
      .map((line) => JSON.parse(line))
      .filter(({ cause }) => cause?.includes('ENOTDIR'));
    assert.deepEqual(
      lines.map(({ msg, next_try_seconds: next }) => [msg, next]),
      [['the backup failed; ask for another one', undefined]],
    );
    const { body } = await call(service.url, 'GET', '/api/system', { token });
    assert.equal(body.data.backups.problem, state.problem);
  });
});

async function list(url: string, token: string) {
  return (await call(url, 'GET', '/api/backups', { token })).body.data;
}

// Needs: processes.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { restore } from '../../src/cli/restore.ts';
import { TABLES } from '../../src/features.ts';
import { backUpHere } from '../support/backup.ts';
import { commandHere } from '../support/command-here.ts';
import { type Lifetime, temporaryFolder } from '../support/engines.ts';
import { fillWithMany } from '../support/many-rows.ts';
import { move, proofOf } from '../support/move.ts';
import { newMigratedPlace, newPostgresPlace, newSqlitePlace, type Place } from '../support/place.ts';
import { startHere } from '../support/service.ts';
import { startCommand } from '../support/start-command.ts';

const STEPS = ['copying users', 'copying sessions', 'copying content', 'building the search', 'comparing'];
const UNFINISHED =
  'A move or restore into this database was interrupted; run the same "npm run stoa -- move" or "npm run stoa -- restore" again to finish it.';

describe('Interrupted backups and restores', { concurrency: 1 }, () => {
  it('A backup that is killed leaves no file of its name, and the next one removes what it left', async (t) => {
    for (const source of [await filledSqlite(t), await filledPostgres(t)]) {
      const folder = await temporaryFolder(t);
      const file = join(folder, 'backup.zst');
      const settings = { DATABASE_URL: source.url };
      const run = startCommand(t, ['backup', file], settings, { step: 'writing users' });
      await run.halts();
      run.signal('SIGKILL');
      assert.equal((await run.ended).signal, 'SIGKILL');
      assert.ok(!existsSync(file));
      await backUpHere(settings, file);
      assert.ok(existsSync(file));
      if (source.url.startsWith('sqlite:')) {
        const names = await readdir(dirname(source.url.slice('sqlite:'.length)));
        assert.ok(!names.includes('stoa.db-backup'), names.join());
      }
    }
  });

  it('A backup that is interrupted by Ctrl-C leaves nothing', async (t) => {
    const source = await filledSqlite(t);
    const folder = await temporaryFolder(t);
    const settings = { DATABASE_URL: source.url };
    const run = startCommand(t, ['backup', join(folder, 'backup.zst')], settings, { step: 'writing users' });
    await run.halts();
    const copy = `${source.url.slice('sqlite:'.length)}-backup`;
    assert.equal((await stat(copy)).mode & 0o777, 0o700);
    run.signal('SIGINT');
    run.goOn();
    const { code, stderr } = await run.ended;
    assert.equal(code, 1);
    assert.match(stderr, /Interrupted\. No backup was made\.\n$/);
    assert.deepEqual(await readdir(folder), []);
    assert.ok(!existsSync(copy));
  });

  for (const [name, newTarget] of [
    ['SQLite', newSqlitePlace],
    ['PostgreSQL', newPostgresPlace],
  ] as const) {
    it(`A restore into ${name} that is killed again and again serves nobody, continues, and ends with the proof`, async (t) => {
      const source = await filledSqlite(t);
      const target = await newTarget(t);
      const settings = { DATABASE_URL: target.url };
      const [file, other] = [await backupOf(t, source), await backupOf(t, source)];
      for (const step of STEPS) {
        const run = startCommand(t, ['restore', file], settings, { step });
        await run.halts();
        run.signal('SIGKILL');
        assert.equal((await run.ended).signal, 'SIGKILL', step);
      }
      await assert.rejects(startHere(t, settings), { message: UNFINISHED });
      const restoreHere = (from: string) =>
        commandHere(settings, (config) => restore(config, from, undefined));
      assert.match(
        (await restoreHere(other)).stderr,
        /holds the unfinished move or restore of another source, .*\n$/,
      );
      const last = await restoreHere(file);
      assert.equal(last.code, 0, last.stderr);
      assert.equal(proofOf(last).length, TABLES.carried.length);
      const again = await restoreHere(file);
      assert.match(again.stderr, /is not empty: "users" has rows; give an empty database\.\n$/);
    });
  }
});

async function filledSqlite(t: Lifetime): Promise<Place> {
  const place = await newSqlitePlace(t);
  await fillWithMany(place);
  return place;
}

async function filledPostgres(t: Lifetime): Promise<Place> {
  const [from, to] = [await filledSqlite(t), await newMigratedPlace(t, newPostgresPlace)];
  assert.equal((await move(from, to)).code, 0);
  return to;
}

async function backupOf(t: Lifetime, { url }: Place): Promise<string> {
  const file = join(await temporaryFolder(t), 'backup.zst');
  await backUpHere({ DATABASE_URL: url }, file);
  return file;
}

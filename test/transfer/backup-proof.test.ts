import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { TABLES } from '../../src/features.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { leftInFolder } from '../../src/transfer/backup/folder.ts';
import { DIGEST_BYTES, newDigest } from '../../src/transfer/backup/format.ts';
import { proveBackup } from '../../src/transfer/backup/prove.ts';
import { backUpHere } from '../support/backup.ts';
import { temporaryFolder } from '../support/engines.ts';
import { newMigratedPlace, newSqlitePlace } from '../support/place.ts';
import { until } from '../support/until.ts';

describe('The proof of a backup', () => {
  it('A backup whose rows are not those that it names is not proved, and nothing of the proof stays', async (t) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, 'backup.zst');
    const place = await newMigratedPlace(t, newSqlitePlace);
    await backUpHere({ DATABASE_URL: place.url }, file);
    assert.equal((await prove(folder, file)).length, TABLES.carried.length);
    await namesOtherRows(file);
    await assert.rejects(prove(folder, file), /"users" differs/);
    assert.deepEqual(await readdir(folder), ['backup.zst']);
  });

  it('A proof that takes more than an hour is not taken for what a kill left', async (t) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, 'backup.zst');
    const place = await newMigratedPlace(t, newSqlitePlace);
    await backUpHere({ DATABASE_URL: place.url }, file);
    t.mock.timers.enable({ apis: ['setInterval'] });
    await prove(folder, file, async (throwaway) => {
      await utimes(throwaway, 1, 1);
      assert.deepEqual(leftInFolder(folder), [throwaway]);
      t.mock.timers.tick(MINUTE_MS);
      await until(() => leftInFolder(folder).length === 0, 'the proof goes on');
    });
  });
});

/** `meanwhile` is called with the folder of the throwaway database before that is opened. */
function prove(
  folder: string,
  file: string,
  meanwhile: (throwaway: string) => Promise<void> = async () => {},
) {
  return proveBackup(file, {
    folder,
    schema: MIGRATIONS,
    tables: TABLES,
    openTarget: async (target) => {
      await meanwhile(dirname(target));
      return openMoveEnd({ kind: 'sqlite', file: target }, 'target');
    },
    listener: { begin: () => {}, reach: () => {} },
  });
}

/** Gives the file another checksum of "users", and a digest that fits. */
async function namesOtherRows(file: string): Promise<void> {
  const bytes = await readFile(file);
  const sum = bytes.indexOf('"sum":"', bytes.indexOf('"table":"users"')) + '"sum":"'.length;
  bytes[sum] = bytes[sum] === 0x30 ? 0x31 : 0x30;
  const content = bytes.subarray(0, -DIGEST_BYTES);
  await writeFile(file, Buffer.concat([content, newDigest().update(content).digest()]));
}

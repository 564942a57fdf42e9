import { join } from 'node:path';
import { type BackedUp, backUpTo } from '../../src/back-up.ts';
import { readConfig } from '../../src/config.ts';
import { writeWholeFile } from '../../src/transfer/backup/whole-file.ts';
import { execOn } from './place.ts';
import { withSealingKey } from './sealing.ts';

/** Makes a backup as `stoa backup` does, which would leave this process nothing but idle time for the rest of its life. */
export function backUpHere(settings: Record<string, string>, file: string): Promise<BackedUp> {
  const config = readConfig(withSealingKey(settings));
  const { signal } = new AbortController();
  const listener = { begin: () => {}, reach: () => {} };
  return writeWholeFile(file, (output) => backUpTo(config, { output, listener, signal }));
}

/** Makes a backup of 2020 in this folder, which the database has as proved. Returns its path. */
export async function provedBackup(settings: Record<string, string>, folder: string): Promise<string> {
  const file = join(folder, 'stoa-20200102T030405Z.ndjson.zst');
  await backUpHere(settings, file);
  await execOn(
    settings,
    `UPDATE backup_state SET tried_at = 1, made_at = 1, proved_at = 2, file = '${file}'`,
  );
  return file;
}

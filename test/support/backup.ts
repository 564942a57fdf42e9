import { type BackedUp, backUpTo } from '../../src/back-up.ts';
import { readConfig } from '../../src/config.ts';
import { writeWholeFile } from '../../src/transfer/backup/whole-file.ts';
import { withSealingKey } from './sealing.ts';

/** Makes a backup as `stoa backup` does, which would leave this process nothing but idle time for the rest of its life. */
export function backUpHere(settings: Record<string, string>, file: string): Promise<BackedUp> {
  const config = readConfig(withSealingKey(settings));
  const { signal } = new AbortController();
  const listener = { begin: () => {}, reach: () => {} };
  return writeWholeFile(file, (output) => backUpTo(config, { output, listener, signal }));
}

import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { fittingKeyName } from '../open-sealing.ts';
import { MIGRATIONS } from '../schema/index.ts';
import { KEY_FILE } from '../services/sealing/key.ts';
import type { Database } from '../settings/database-url.ts';
import type { Header } from '../transfer/backup/format.ts';
import { markRestored } from '../transfer/backup/mark-restored.ts';
import { openBackup } from '../transfer/backup/read.ts';
import { verifyBackup } from '../transfer/backup/verify.ts';
import type { Proof } from '../transfer/move.ts';
import { causeOf } from './explain.ts';
import { databaseOf, fillTarget, proofLines } from './fill-target.ts';
import { interruption } from './interruption.ts';
import { ProgressBar } from './progress-bar.ts';

/**
 * Fills an empty database from a backup, compares both, and prints the proof. Without `to`, it is the database of the
 * service. Nothing is written before all of the file was checked.
 */
export async function restore(config: Config, path: string, to: string | undefined): Promise<void> {
  const database = to === undefined ? config.database : databaseOf('--to', to);
  const progress = new ProgressBar(process.stderr);
  const file = { name: resolve(path), handle: await openFile(resolve(path)) };
  try {
    const verified = await verifyBackup(file, MIGRATIONS, progress).finally(() => progress.end());
    const { header } = verified;
    const source = openBackup(file, verified);
    const key = keyNote({ ...config, sealingKeyFile: keyFileOf(config, database, to) }, header);
    process.stderr.write(key);
    const report = (target: string, proof: readonly Proof[]) =>
      `Restored the backup of ${new Date(header.made_at).toISOString()} into the ${target}.\nBoth hold the same, table by table (SHA-256 summed over the rows):\n${proofLines(proof)}${key}`;
    const begin = (target: Parameters<typeof markRestored>[0]) => markRestored(target, Date.now());
    await fillTarget(database, { source, verb: 'restore', begin, report }, progress).finally(source.close);
  } catch (error) {
    if (config.logLevel === 'debug') process.stderr.write(causeOf(error));
    throw interruption(error, (reason) => `The restore of ${file.name} was not finished: ${reason}.`);
  } finally {
    await file.handle.close();
  }
}

/** Where a service on the restored database looks for its key: of SQLite, beside the file. */
function keyFileOf({ sealingKeyFile }: Config, database: Database, to: string | undefined): string {
  return to === undefined || database.kind === 'postgres'
    ? sealingKeyFile
    : join(dirname(database.file), KEY_FILE);
}

/** Empty if the sealing key is there, or if nothing was sealed. */
function keyNote(config: Config, { sealing: { check, key } }: Header): string {
  if (check === null || fittingKeyName(config, check) !== null) return '';
  const name = key === null ? '' : ` ${key}`;
  const place = config.sealingKey ? 'SEALING_KEY or SEALING_KEY_FILE' : config.sealingKeyFile;
  return `Note: the sealing key${name} of this backup is not in ${place}. No service starts on the restored database before the key is there.\n`;
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw new OperatorError(`The backup ${path} cannot be read: ${reasonOf(error)}.`);
  }
}

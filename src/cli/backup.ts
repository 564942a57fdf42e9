import { readdirSync, rmSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { TABLES } from '../features.ts';
import { fittingKeyName, openBackupSource } from '../open-store.ts';
import { MIGRATIONS } from '../schema/index.ts';
import { CHECK, findSecret } from '../services/sealing/secrets.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { writeBackup } from '../transfer/backup/write.ts';
import type { Proof } from '../transfer/move.ts';
import { prepareSource } from '../transfer/prepare.ts';
import { VERSION } from '../version.ts';
import { proofLines } from './fill-target.ts';
import { interruption } from './interruption.ts';
import { ProgressBar } from './progress-bar.ts';
import { STOP_SIGNALS } from './stop-signals.ts';
import { UNFINISHED, writeWholeFile } from './whole-file.ts';

/** A running backup writes all the time, so a file that was not written for so long was left by a kill. */
const LEFT_AFTER_MS = 3_600_000;

/**
 * Writes everything that the database holds at one moment into a new file, while servers use the database. Without
 * `file`, its name is the time, in BACKUP_DIR. "-" is standard output.
 */
export async function backUp(config: Config, file: string | undefined): Promise<void> {
  if (file === '-' && process.stdout.isTTY)
    throw new OperatorError('Standard output is a terminal; name a file, or send the backup to a program.');
  // Requests come first.
  setPriority(constants.priority.PRIORITY_LOW);
  const progress = new ProgressBar(process.stderr);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  const write = (output: Writable) => writeAll(config, output, progress, stopping.signal);
  try {
    const path = file === '-' ? 'standard output' : file === undefined ? newFile(config) : resolve(file);
    const report = file === '-' ? await write(process.stdout) : await writeWholeFile(path, write);
    progress.end();
    process.stderr.write(`Backed up to ${path}.\n${report}`);
  } catch (error) {
    progress.end();
    if (stopping.signal.aborted) throw new OperatorError('Interrupted. No backup was made.');
    throw interruption(error, (reason) => `The backup failed: ${reason}. No backup was made.`);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

/** Returns what the operator should know of the backup. */
async function writeAll(
  config: Config,
  output: Writable,
  progress: ProgressBar,
  signal: AbortSignal,
): Promise<string> {
  progress.begin('taking the snapshot', 0);
  const source = await openBackupSource(config.database);
  try {
    const tables = await prepareSource(source, TABLES, 'shared');
    const check = await findSecret.run(source.db, CHECK, source.engine);
    const sealing = { check, key: check && fittingKeyName(config, check) };
    const about = { stoa: VERSION, schema: MIGRATIONS.map(({ name }) => name), sealing };
    const proof = await writeBackup(source, tables, about, { output, signal, listener: progress });
    return reportOf(source.name, proof, sealing.key);
  } finally {
    await source.close();
  }
}

function reportOf(source: string, proof: readonly Proof[], key: string | null): string {
  const needs =
    key === null
      ? 'Signing keys and secrets are sealed as they were: a restore needs the sealing key of the service.'
      : `Signing keys and secrets are sealed as they were: a restore needs the sealing key ${key}, which is not in the backup.`;
  return `It has this of the ${source}, table by table (SHA-256 summed over the rows):\n${proofLines(proof)}${needs}\n`;
}

/** A file in BACKUP_DIR, named by the time. Removes what a kill left there. */
function newFile({ backupDir }: Config): string {
  makePrivateFolder(backupDir);
  for (const name of readdirSync(backupDir)) {
    const path = join(backupDir, name);
    if (!name.endsWith(UNFINISHED)) continue;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > LEFT_AFTER_MS) rmSync(path, { force: true });
  }
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return join(backupDir, `stoa-${time}.ndjson.zst`);
}

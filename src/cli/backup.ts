import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { type BackedUp, backUpTo } from '../back-up.ts';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { comeLast } from '../domain/priority.ts';
import { requireDatabase } from '../open-database.ts';
import { giveToOwnerOf } from '../store/private-files.ts';
import { newBackupFile } from '../transfer/backup/folder.ts';
import { writeWholeFile } from '../transfer/backup/whole-file.ts';
import { proofLines } from './fill-target.ts';
import { interruption } from './interruption.ts';
import { ProgressBar } from './progress-bar.ts';
import { unlessInterrupted } from './stop-signals.ts';

/**
 * Writes everything that the database holds at one moment into a new file, while servers use the database. Without
 * `file`, its name is the time, in BACKUP_DIR. "-" is standard output.
 */
export async function backUp(config: Config, file: string | undefined): Promise<void> {
  if (file === '-' && process.stdout.isTTY)
    throw new OperatorError('Standard output is a terminal; name a file, or send the backup to a program.');
  // Requests come first.
  comeLast();
  const progress = new ProgressBar(process.stderr);
  try {
    const path = file === '-' ? 'standard output' : file ? resolve(file) : await newInFolder(config);
    const made = await unlessInterrupted('Interrupted. No backup was made.', (signal) => {
      const write = (output: Writable) => backUpTo(config, { output, listener: progress, signal });
      return file === '-' ? write(process.stdout) : writeWholeFile(path, write);
    });
    // The service, which is not root, removes it when it is old.
    if (file === undefined) giveToOwnerOf(config.backupDir, path);
    progress.end();
    process.stderr.write(`Backed up to ${path}.\n${reportOf(made)}`);
  } catch (error) {
    progress.end();
    throw interruption(error, (reason) => `The backup failed: ${reason}. No backup was made.`);
  }
}

/** A path in BACKUP_DIR. Where root makes that folder, the service must be able to write there. */
async function newInFolder({ backupDir, database, dataDir }: Config): Promise<string> {
  // In a wrong folder, no folder of backups is made.
  await requireDatabase(database);
  return newBackupFile(backupDir, database.kind === 'sqlite' ? database.file : dataDir);
}

/** What the operator should know of the backup. */
function reportOf({ source, proof, key }: BackedUp): string {
  const needs =
    key === null
      ? 'Signing keys and secrets are sealed as they were: a restore needs the sealing key of the service.'
      : `Signing keys and secrets are sealed as they were: a restore needs the sealing key ${key}, which is not in the backup.`;
  return `It has this of the ${source}, table by table (SHA-256 summed over the rows):\n${proofLines(proof)}${needs}\n`;
}

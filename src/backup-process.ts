import { type BackupSource, backUpTo } from './back-up.ts';
import type { BackupAnswer, BackupNotice } from './back-up-beside.ts';
import { comeLast } from './domain/priority.ts';
import { reasonOf } from './domain/reason.ts';
import { TABLES } from './features.ts';
import { openMoveEnd } from './open-database.ts';
import { MIGRATIONS } from './schema/index.ts';
import { nameProved, newUnprovedFile } from './transfer/backup/folder.ts';
import { proveBackup } from './transfer/backup/prove.ts';
import { roomLeftIn } from './transfer/backup/room-left.ts';
import { removeOldBackups, removeUnproved } from './transfer/backup/rotate.ts';
import { sendBackup } from './transfer/backup/send.ts';
import { writeWholeFile } from './transfer/backup/whole-file.ts';
import type { Bucket } from './transfer/s3/bucket.ts';

// The process that makes, or sends, one backup by itself (back-up-beside.ts). It ends with its service, and leaves
// nothing unfinished.

type BackupTask = BackupSource & { readonly backupDir: string; readonly backupKeep: number };
/** `send` is the path of a proved backup. */
interface SendingTask {
  readonly send: string;
  readonly bucket: Bucket;
  readonly backupKeep: number;
}

// Requests come first.
comeLast();
const stopping = new AbortController();
const stop = () => stopping.abort(new Error('The service stops.'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
process.once('disconnect', stop);

process.once('message', async (task: BackupTask | SendingTask) => {
  const { signal } = stopping;
  const work =
    'send' in task
      ? sendBackup(task.send, { bucket: task.bucket, keep: task.backupKeep, signal })
      : backUpAndProve(task, signal);
  const answer = await work.then(
    (made): BackupAnswer => ({ made }),
    (error: unknown): BackupAnswer => ({ problem: reasonOf(error) }),
  );
  if (process.connected) process.send?.(answer, undefined, undefined, () => process.disconnect?.());
});

function notice(message: string, error: unknown): void {
  const said: BackupNotice = { notice: message, cause: reasonOf(error) };
  if (process.connected) process.send?.(said);
}

/**
 * Makes a backup in its folder, restores it into a throwaway database, and only then removes older ones. Returns the
 * path.
 */
async function backUpAndProve(task: BackupTask, signal: AbortSignal): Promise<string> {
  const { backupDir: folder, backupKeep } = task;
  const unproved = newUnprovedFile(folder);
  const listener = roomLeftIn(folder, signal);
  await writeWholeFile(unproved, (output) => backUpTo(task, { output, listener, signal }));
  // The newest one without a proof stays for the operator, who may have nothing else. Here, because a proof that is
  // killed removes nothing, and each attempt would leave one.
  await removeUnproved(folder, unproved, notice);
  try {
    const openTarget = (file: string) => openMoveEnd({ kind: 'sqlite', file }, 'target');
    await proveBackup(unproved, { folder, schema: MIGRATIONS, tables: TABLES, openTarget, listener });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${unproved} was written but could not be proved: ${reasonOf(error)}`);
  }
  const file = await nameProved(folder, unproved);
  await removeOldBackups(folder, { keep: backupKeep, proved: file, notice });
  return file;
}

import { closeSync, existsSync, fdatasyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { KEPT_BY_BACKUPS, lowRoomOf } from '../../domain/disk-room.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import { PART_BYTES, removeInParts } from '../large-file.ts';
import { makePrivateFileBeside, makePrivateFolder, realPathOf } from '../private-files.ts';
import { openForReading } from './connection.ts';
import { FileLock } from './lock.ts';
import { requireOwnLog } from './log-origin.ts';
import { requireRoomForCopy } from './room-for-copy.ts';
import { unusableFile } from './unusable.ts';

/** A copy of a database file at one moment, which its `remove` removes. */
export interface SnapshotFile {
  readonly file: string;
  remove(): Promise<void>;
}

function copyFolderOf(file: string): string {
  return `${realPathOf(file)}-backup`;
}

/** The folder of a copy that a killed process left; undefined if there is none or a backup is under way. */
export function leftSnapshot(file: string): string | undefined {
  const folder = copyFolderOf(file);
  if (!existsSync(folder)) return undefined;
  using lock = FileLock.alone(folder, file) ?? null;
  return lock ? folder : undefined;
}

/**
 * Copies the database into a private folder next to it, while a service may use it. Until the copy is there, SQLite
 * cannot begin a new log. So rows are read from the copy, which takes longer than making it. A copy that a killed
 * process left is removed first. Fails with OperatorError during a move or another backup of the file, if there is
 * no database, and if its disk has no room for the copy. When the signal is aborted, it fails and leaves no copy.
 */
export async function copySnapshot(file: string, signal?: AbortSignal): Promise<SnapshotFile> {
  const folder = copyFolderOf(file);
  requireOwnLog(file);
  using _use = FileLock.of(file, 'command');
  const lock = FileLock.alone(folder, file);
  if (!lock)
    throw new OperatorError(`Another backup of the database ${file} is under way; wait until it has ended.`);
  const copy = join(folder, 'stoa.db');
  const remove = async () => {
    await removeInParts(copy);
    rmSync(folder, { recursive: true, force: true });
    lock.release();
  };
  try {
    rmSync(folder, { recursive: true, force: true });
    requireRoomForCopy(file, 'for a backup', (size) => lowRoomOf(size, KEPT_BY_BACKUPS));
    makePrivateFolder(folder, file);
    await copyDatabase(file, copy, signal);
    return { file: copy, remove };
  } catch (error) {
    await remove();
    throw unusableFile(file, error);
  }
}

/** Copies what is committed in a database into a new file (mode 0600), part by part (large-file.ts). */
export async function copyDatabase(file: string, copy: string, signal?: AbortSignal): Promise<void> {
  makePrivateFileBeside(file, copy);
  using source = openForReading(file);
  // All parts are of one moment. Without this read, each write meanwhile would start the copy again.
  source.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  const rate = PART_BYTES / Number(source.prepare('PRAGMA page_size').get()?.page_size);
  const descriptor = openSync(copy, 'r+');
  try {
    const progress = () => {
      signal?.throwIfAborted();
      fdatasyncSync(descriptor);
    };
    await backup(source, copy, { rate, progress });
  } finally {
    closeSync(descriptor);
  }
}

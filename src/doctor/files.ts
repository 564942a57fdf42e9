import { statfsSync } from 'node:fs';
import { lowRoomOf } from '../domain/disk-room.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode } from '../domain/reason.ts';
import { opennessOf } from '../store/private-files.ts';
import { type Finding, finding, REPAIR } from './finding.ts';

const MEBIBYTE = 1024 ** 2;

/** Are these files and folders for their owner alone? Those that do not exist are left out. */
export function checkRights(paths: readonly string[]): Finding[] {
  const found = paths.flatMap((path) => {
    const open = opennessOf(path);
    if (!open) return [];
    const cure = `run "chmod ${open.becomes} ${path}" or "${REPAIR}"`;
    return [finding('rights', 'wrong', `${path} is open to other users (mode ${open.was}); ${cure}.`)];
  });
  return found.length > 0
    ? found
    : [finding('rights', 'ok', 'Only their owner can read the files of the data.')];
}

/**
 * Can all users read these files, which have secrets of the operator? Their mode may be meant, as with the secrets of
 * containers. A group may be that of the service.
 */
export function checkGivenSecrets(paths: readonly string[]): Finding[] {
  return paths.flatMap((path) => {
    const was = opennessOf(path)?.was;
    if (was === undefined || was.endsWith('0')) return [];
    const says = `${path} has secrets and is open to all users (mode ${was}); run "chmod o= ${path}".`;
    return [finding('rights', 'advice', says)];
  });
}

/** Is a folder of backups open to other users that has something of theirs too, such as this `foreign`? */
export function checkSharedFolder(folder: string, foreign: string | undefined): Finding[] {
  const open = foreign === undefined ? undefined : opennessOf(folder);
  if (!open) return [];
  const says = `${folder} is open to other users (mode ${open.was}) and stays so, because it holds ${foreign} too; set BACKUP_DIR to a folder of its own.`;
  return [finding('rights', 'advice', says)];
}

/** The sentence for a file or folder that this process cannot look at. Any other error is thrown again. */
export function barrierOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  return hasCode(error, 'ENOTDIR')
    ? `A file is where a folder of the service should be (${error.message}); set DATA_DIR or BACKUP_DIR to a folder.`
    : `A file or folder of the service cannot be used (${error.message}); run this as the user of the service, or see "Files and their owner" in docs/operations.md.`;
}

/** What killed commands and services left, which nothing needs. */
export function checkLeft(paths: readonly string[]): Finding[] {
  const says = (path: string) => `${path} was left by a backup that was killed; run "${REPAIR}".`;
  return paths.length === 0
    ? [finding('left files', 'ok', 'No file was left by a backup that was killed.')]
    : paths.map((path) => finding('left files', 'advice', says(path)));
}

/** What the file system says of a disk. */
interface Disk {
  readonly bavail: number;
  readonly blocks: number;
  readonly bsize: number;
}

/** Is there room on the disk of this file or folder? */
export function checkDisk(path: string, { bavail, blocks, bsize }: Disk = statfsSync(path)): Finding {
  const [free, all] = [bavail * bsize, blocks * bsize];
  const room = `${Math.floor(free / MEBIBYTE)} MB of ${Math.floor(all / MEBIBYTE)} MB are free on the disk of ${path}`;
  return free < lowRoomOf(all)
    ? finding('disk', 'wrong', `Only ${room}; make room before nothing can be stored.`)
    : finding('disk', 'ok', `${room}.`);
}

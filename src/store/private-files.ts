import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Notice } from '../domain/notice.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';

/**
 * Makes the file and its folder if they do not exist, only for the user of this process (modes 0600 and 0700). An
 * existing file is not even opened: closing it again would end all locks that this process has on the file, those of
 * SQLite too (https://sqlite.org/howtocorrupt.html, 2.2). Returns whether the file was made.
 */
export function makePrivateFile(file: string): boolean {
  makePrivateFolder(dirname(file));
  return wasMade(() => closeSync(openSync(file, 'wx', 0o600)));
}

/** The same, and where root makes it, the file gets the owner of the other. SQLite does the same with its own files. */
export function makePrivateFileBeside(other: string, file: string): void {
  if (makePrivateFile(file)) giveToOwnerOf(other, file);
}

/** A file that root makes gets the owner of the other. Otherwise the service could not start again. */
export function giveToOwnerOf(other: string, file: string): void {
  if (process.geteuid?.() !== 0 || !existsSync(other)) return;
  const { uid, gid } = statSync(other);
  // In a folder of another user a link may take the place of the file meanwhile, and must not be followed.
  if (uid !== 0) lchownSync(file, uid, gid);
}

/** A link gives a file a second name. All names lead to one path here. A file that does not exist has only its name. */
export function realPathOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/**
 * Makes the folder, and the missing folders above it, with mode 0700. `owner` is a file or folder whose owner gets what
 * root makes. The option `recursive` of mkdir would never end in a file system where nothing can be made, such as
 * /proc.
 */
export function makePrivateFolder(folder: string, owner?: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder), owner);
  const isMade = wasMade(() => mkdirSync(folder, { mode: 0o700 }));
  if (isMade && owner !== undefined) giveToOwnerOf(owner, folder);
}

/**
 * Closes a file or folder to all other users, if it exists and they have any right to it, and gives a notice. A
 * symbolic link stays as it is. `setting` is what names its place. Fails with OperatorError if the mode cannot be
 * changed.
 */
export function narrow(path: string, setting: 'DATA_DIR' | 'BACKUP_DIR', notice: Notice): void {
  const open = opennessOf(path);
  if (!open) return;
  const { was, becomes } = open;
  try {
    chmodSync(path, Number.parseInt(becomes, 8));
  } catch (error) {
    throw new OperatorError(
      `${path} is open to other users (mode ${was}), and its mode cannot be changed (${reasonOf(error)}); run "chmod ${becomes} ${path}" as its owner, or set ${setting} to a folder that does not exist yet.`,
    );
  }
  notice(`${path} was open to other users (mode ${was}); its mode is ${becomes} now`);
}

/** The mode of a file or folder to which other users have any right, and the mode that it should have. */
export function opennessOf(path: string): { readonly was: string; readonly becomes: string } | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink() || (stats.mode & 0o077) === 0) return undefined;
  return { was: modeText(stats.mode), becomes: stats.isDirectory() ? '0700' : '0600' };
}

/** Puts the names in the folder on disk. A file is synced by whoever writes it. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A mode as people write it: "0644". */
export function modeText(mode: number): string {
  return `0${(mode & 0o777).toString(8)}`;
}

/** False if the file or folder exists already, because another process may have been first. */
function wasMade(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Notice } from '../domain/notice.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';

/**
 * Makes the file and its folder where they do not exist, for the user of this process alone (modes 0600 and 0700).
 * A file that exists is not even opened: closing it again would end all locks that this process has on the file,
 * those of SQLite too (https://sqlite.org/howtocorrupt.html, 2.2). Returns whether the file was made.
 */
export function makePrivateFile(file: string): boolean {
  makePrivateFolder(dirname(file));
  return wasMade(() => closeSync(openSync(file, 'wx', 0o600)));
}

/**
 * The same for a file beside the database. Where root makes it, the file belongs to the owner of the database, whose
 * service could not start again otherwise. SQLite does the same with the files that it makes.
 */
export function makePrivateFileBeside(database: string, file: string): void {
  if (!makePrivateFile(file) || process.geteuid?.() !== 0 || !existsSync(database)) return;
  const { uid, gid } = statSync(database);
  if (uid !== 0) chownSync(file, uid, gid);
}

/**
 * Makes the folder, and the missing folders above it, with mode 0700. The option `recursive` of mkdir would try for
 * ever in a file system where nothing can be made, such as /proc.
 */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder));
  wasMade(() => mkdirSync(folder, { mode: 0o700 }));
}

/**
 * Closes a file or folder to all other users, and says so, where it exists and they may do anything with it. A
 * symbolic link is left alone. Fails with OperatorError where the mode cannot be changed.
 */
export function narrow(path: string, notice: Notice): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink() || (stats.mode & 0o077) === 0) return;
  const [was, becomes] = [modeText(stats.mode), stats.isDirectory() ? '0700' : '0600'];
  try {
    chmodSync(path, Number.parseInt(becomes, 8));
  } catch (error) {
    throw new OperatorError(
      `${path} is open to other users (mode ${was}), and its mode cannot be changed (${reasonOf(error)}); run "chmod ${becomes} ${path}" as its owner, or set DATA_DIR to a folder that does not exist yet.`,
    );
  }
  notice(`${path} was open to other users (mode ${was}); its mode is ${becomes} now`);
}

/** A mode as people write it: "0644". */
export function modeText(mode: number): string {
  return `0${(mode & 0o777).toString(8)}`;
}

/** False where the file or folder exists already: another process may have come first. */
function wasMade(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

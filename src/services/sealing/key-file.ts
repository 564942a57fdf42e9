import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Notice } from '../../domain/notice.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import { hasCode, reasonOf } from '../../domain/reason.ts';
import { giveToOwnerOf, makePrivateFolder, narrow, syncFolder } from '../../store/private-files.ts';
import { newKeyText, parseKey } from './key.ts';

/** Undefined if there is no such file. Fails with OperatorError if it is a link, or has no key. */
export function readKeyFile(path: string, notice: Notice): Uint8Array | undefined {
  const text = readWithoutFollowing(path);
  if (text === undefined) return undefined;
  narrow(path, 'DATA_DIR', notice);
  try {
    return parseKey(text.trimEnd());
  } catch (error) {
    throw new OperatorError(`The file ${path} ${reasonOf(error)}`);
  }
}

/**
 * Makes the file (mode 0600) with a new key, unless it exists, and returns its key. The file appears whole and on disk:
 * a crash leaves all or nothing, and only one of several processes makes it.
 */
export function makeKeyFile(path: string, notice: Notice): Uint8Array {
  try {
    makePrivateFolder(dirname(path));
    const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
    writeFileSync(unfinished, `${newKeyText()}\n`, { flag: 'wx', mode: 0o600, flush: true });
    giveToOwnerOf(dirname(path), unfinished);
    try {
      linkSync(unfinished, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    } finally {
      unlinkSync(unfinished);
    }
    syncFolder(dirname(path));
  } catch (error) {
    throw new OperatorError(
      `The key file ${path} cannot be made (${reasonOf(error)}); set DATA_DIR to a folder that can be written, or set SEALING_KEY.`,
    );
  }
  const key = readKeyFile(path, notice);
  if (!key) throw new OperatorError(`The key file ${path} went away while it was made; start again.`);
  return key;
}

/** Replaces the file with the next one, on disk. Another process may have done so already. */
export function replaceKeyFile(next: string, path: string): void {
  try {
    renameSync(next, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function readWithoutFollowing(path: string): string | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    const why = hasCode(error, 'ELOOP') ? 'it is a symbolic link' : reasonOf(error);
    throw new OperatorError(
      `The key file ${path} cannot be read (${why}); put the file itself there, readable by the user that runs this, or set SEALING_KEY_FILE to another place.`,
    );
  }
}

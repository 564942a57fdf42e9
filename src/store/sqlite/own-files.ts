import { statSync } from 'node:fs';
import { storageReadOnly } from '../../domain/failure.ts';
import { realPathOf } from '../private-files.ts';

/**
 * Knows whether an open database is still the one at its path. SQLite goes on in files that were removed or replaced:
 * it would store writes where no later start finds them.
 */
export class OwnFiles {
  readonly #paths: readonly string[];
  /** The inode of each path, since it was first seen. The log may be made later than the file. */
  readonly #inodes = new Map<string, number>();

  /** The file exists. */
  constructor(file: string) {
    this.#paths = [file, `${realPathOf(file)}-wal`];
    this.require();
  }

  /** Fails with `unavailable` where the file or its log was removed or replaced. */
  require(): void {
    for (const path of this.#paths) {
      const inode = inodeOf(path);
      const known = this.#inodes.get(path);
      if (known === undefined && inode !== undefined) this.#inodes.set(path, inode);
      else if (inode !== known) throw storageReadOnly(new Error(`${path} was removed or replaced`));
    }
  }
}

/** Undefined where there is no file. */
function inodeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch (error) {
    // Such as a disk that fails, or a folder that may no longer be entered.
    throw storageReadOnly(error);
  }
}

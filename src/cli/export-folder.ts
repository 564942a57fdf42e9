import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';
import { UNFINISHED } from '../transfer/backup/whole-file.ts';

/** The list of the files that exports wrote into a folder, one a line. It also says whose folder that is. */
const LIST = '.stoa-export';
/** Nothing is read or written through a link in its place. */
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
/** The names that `fileNameOf` makes. No other name of the list is replaced or removed. */
const OURS = /^[a-z0-9-]+-\d+\.md$/;

/**
 * A folder for an export. The files of an earlier export stay until the new one is complete: each is replaced by its
 * new text, and at the end those go whose item was deleted or renamed since. Other files stay.
 */
export class ExportFolder {
  readonly #path: string;
  readonly #list: FileHandle;
  /** The names of earlier exports that this one has not written. */
  readonly #earlier: Set<string>;
  readonly #written: string[] = [];

  private constructor(path: string, list: FileHandle, earlier: Set<string>) {
    this.#path = path;
    this.#list = list;
    this.#earlier = earlier;
  }

  /** Makes the folder with mode 0700 where there is none. Fails with OperatorError where it has files of others. */
  static async open(path: string): Promise<ExportFolder> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const names = await readdir(path);
      if (!names.includes(LIST) && names.length > 0)
        throw new OperatorError(`The folder ${path} is not empty, and no export made it; name another one.`);
      const list = await openList(join(path, LIST));
      return new ExportFolder(path, list, await listedIn(list));
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      throw new OperatorError(`The folder ${path} cannot be written: ${reasonOf(error)}.`);
    }
  }

  /**
   * Writes files with mode 0600. They are listed before, so that the next export knows of them after a crash too. Fails
   * with OperatorError where somebody else's file has such a name.
   */
  async write(files: readonly { readonly name: string; readonly text: string }[]): Promise<void> {
    for (const { name } of files) if (!this.#earlier.has(name)) await this.#requireFree(name);
    await this.#list.appendFile(files.map(({ name }) => `${name}\n`).join(''));
    for (const { name, text } of files) {
      await this.#replace(name, text);
      this.#earlier.delete(name);
      this.#written.push(name);
    }
  }

  /** Called when everything is written: removes what only an earlier export wrote. */
  async finish(): Promise<void> {
    for (const name of this.#earlier)
      for (const each of [name, name + UNFINISHED]) await rm(join(this.#path, each), { force: true });
    await this.#replace(LIST, this.#written.map((name) => `${name}\n`).join(''));
  }

  async close(): Promise<void> {
    await this.#list.close();
  }

  /** The file appears whole under its name, in the place of an earlier one. */
  async #replace(name: string, text: string): Promise<void> {
    const path = join(this.#path, name);
    await rm(path + UNFINISHED, { force: true });
    await writeFile(path + UNFINISHED, text, { flag: 'wx', mode: 0o600 });
    await rename(path + UNFINISHED, path);
  }

  async #requireFree(name: string): Promise<void> {
    const path = join(this.#path, name);
    const found = await lstat(path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    if (found)
      throw new OperatorError(`The file ${path} is not from an export; move it elsewhere, and export again.`);
  }
}

/** Fails with OperatorError for a link, and for what is no file: of a pipe nobody knows the end. */
async function openList(path: string): Promise<FileHandle> {
  const found = await lstat(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (found && !found.isFile())
    throw new OperatorError(`${path} is no file, so no export made it; remove it, and export again.`);
  return open(path, FLAGS, 0o600);
}

/** The names in the list of earlier exports. */
async function listedIn(list: FileHandle): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const name of list.readLines({ autoClose: false, start: 0 }))
    if (OURS.test(name)) names.add(name);
  return names;
}

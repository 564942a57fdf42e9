import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';

/** The list of the files that exports wrote into a folder, one a line. It also says whose folder that is. */
const LIST = '.stoa-export';
/** The names that `fileNameOf` makes. No other name of the list is removed. */
const OURS = /^[a-z0-9-]+-\d+\.md$/;

/**
 * A folder for an export. The files of an earlier export are removed first: an item may have been deleted or renamed since.
 * Other files stay.
 */
export class ExportFolder {
  readonly #path: string;
  readonly #list: FileHandle;

  private constructor(path: string, list: FileHandle) {
    this.#path = path;
    this.#list = list;
  }

  /** Makes the folder with mode 0700 where there is none. Fails with OperatorError where it has files of others. */
  static async open(path: string): Promise<ExportFolder> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const names = await readdir(path);
      if (names.includes(LIST)) await removeListed(path);
      else if (names.length > 0)
        throw new OperatorError(`The folder ${path} is not empty, and no export made it; name another one.`);
      return new ExportFolder(path, await open(join(path, LIST), 'w', 0o600));
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
    for (const { name } of files) await this.#requireFree(name);
    await this.#list.appendFile(files.map(({ name }) => `${name}\n`).join(''));
    for (const { name, text } of files)
      await writeFile(join(this.#path, name), text, { flag: 'wx', mode: 0o600 });
  }

  async close(): Promise<void> {
    await this.#list.close();
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

async function removeListed(path: string): Promise<void> {
  const lines = createInterface({
    input: createReadStream(join(path, LIST)),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const name of lines) {
    if (!OURS.test(name)) continue;
    await rm(join(path, name), { force: true });
  }
}

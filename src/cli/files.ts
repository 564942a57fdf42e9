import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { hasCode, reasonOf } from '../domain/reason.ts';

/** A file below a folder, or a place there that cannot be read. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Why the place cannot be read. */
  readonly refusal?: string;
}

/**
 * The files below a folder with one of these endings, by their names. No link is followed, so the walk ends and nothing
 * outside of the folder is read. The names of one folder are in memory at a time, for each level. Fails only where the
 * folder itself cannot be read.
 */
export async function* filesBelow(folder: string, endings: ReadonlySet<string>): AsyncGenerator<FoundFile> {
  // As bytes, because another encoding than UTF-8 makes a string that names nothing.
  const names = await readdir(folder, { encoding: 'buffer' });
  for (const name of names.sort(Buffer.compare)) {
    const path = join(folder, name.toString());
    try {
      const found = await lstat(Buffer.concat([Buffer.from(folder + sep), name]));
      const isFile = found.isFile() && endings.has(extname(path).toLowerCase());
      if (!isFile && !found.isDirectory()) continue;
      if (!isUtf8(name)) yield { path, bytes: 0, refusal: 'Its name is not valid UTF-8.' };
      else if (isFile) yield { path, bytes: found.size };
      else yield* filesBelow(path, endings);
    } catch (error) {
      // What was removed meanwhile is no file any more.
      if (hasCode(error, 'ENOENT')) continue;
      yield { path, bytes: 0, refusal: `It cannot be read: ${reasonOf(error)}.` };
    }
  }
}

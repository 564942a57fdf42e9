import { lstat, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file below a folder. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * The files below a folder with one of these endings, by their names. No link is followed, so the walk ends and nothing
 * outside of the folder is read. The names of one folder are in memory at a time, for each level.
 */
export async function* filesBelow(folder: string, endings: ReadonlySet<string>): AsyncGenerator<FoundFile> {
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isDirectory()) yield* filesBelow(path, endings);
    else if (found.isFile() && endings.has(extname(name).toLowerCase())) yield { path, bytes: found.size };
  }
}

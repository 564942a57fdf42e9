import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { filesBelow } from '../../../src/cli/files.ts';
import { takeFrontMatter } from '../../../src/transfer/content/front-matter.ts';

/** A file, as bytes of its text and the values of its front matter. */
interface Parts {
  readonly values: Readonly<Record<string, unknown>>;
  readonly text: Buffer;
}

async function partsOf(path: string): Promise<Parts> {
  const bytes = await readFile(path);
  const { matter, rest } = takeFrontMatter(bytes.toString('utf8'));
  return { values: matter?.values ?? {}, text: Buffer.from(rest) };
}

/** The front matter that a file had before Stoa added to it. */
function givenIn({ stoa, ...values }: Parts['values'], names: readonly string[]): object {
  const { meta } = Object(stoa);
  const all = { ...values, ...meta };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/**
 * Compares the Markdown files below a folder with an export of what an import made of them, in the same order: the text
 * byte by byte, and each value of the front matter. An export has a title for each, too. `refused` are files that the import refused. Returns the files that differ.
 */
export async function compareExport(
  source: string,
  exported: string,
  refused: ReadonlySet<string> = new Set(),
): Promise<{ readonly files: number; readonly different: readonly string[] }> {
  const idOf = (name: string) => Number(/-(\d+)\.md$/.exec(name)?.[1]);
  const names = (await readdir(exported)).filter((name) => extname(name) === '.md');
  names.sort((one, other) => idOf(one) - idOf(other));
  const different: string[] = [];
  let files = 0;
  for await (const { path } of filesBelow(source, new Set(['.md', '.markdown']))) {
    if (refused.has(path)) continue;
    const [before, after] = [await partsOf(path), await partsOf(join(exported, names[files] ?? ''))];
    files++;
    const given = givenIn(after.values, Object.keys(before.values));
    if (!before.text.equals(after.text) || !isDeepStrictEqual(given, before.values)) different.push(path);
  }
  if (files !== names.length) different.push(`${files} files, and ${names.length} exported`);
  return { files, different };
}

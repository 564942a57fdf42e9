import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Lifetime, temporaryFolder } from './engines.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** A folder like a fresh clone of this checkout: the files that git tracks, with their content of now. */
export async function newCheckout(t: Lifetime): Promise<string> {
  const folder = await temporaryFolder(t);
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  const tracked = listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
  for (const path of tracked) await cp(join(ROOT, path), join(folder, path));
  return folder;
}

/** The PATH of somebody who has installed nothing here: without the folders that npm adds for a script. */
export function pathOfNewcomer(): string {
  const entries = (process.env.PATH ?? '').split(delimiter);
  return entries.filter((entry) => !entry.includes('node_modules')).join(delimiter);
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from '../src/domain/reason.ts';

const ROOT = new URL('../', import.meta.url);
/** Files outside of these folders that change dist/: the versions of the libraries, and how they are bundled. */
const OTHERS = ['package.json', 'package-lock.json', 'scripts/build.ts', 'scripts/build-console.ts'];
const FOLDERS = ['src', 'client/src', 'console/src'];
/** The file with the hash of the sources of dist/. A build writes it last. */
export const STAMP = new URL('dist/sources.sha256', ROOT);

/** One SHA-256 (hex) over the names and contents of all sources. It is the same in a copy, where file times differ. */
export function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const path of [...OTHERS, ...FOLDERS.flatMap(filesOf)]) {
    const content = readFileSync(new URL(path, ROOT));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** True if dist/ was made from the present sources. */
export function isBuilt(): boolean {
  try {
    return readFileSync(STAMP, 'utf8') === hashOfSources();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function filesOf(folder: string): string[] {
  const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.(tsx?|json|css|svg)$/.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

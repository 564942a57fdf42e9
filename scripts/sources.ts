import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);
/** What dist/ is made of, beside src/: the libraries by their versions, and how it is bundled. */
const OTHERS = ['package.json', 'package-lock.json', 'scripts/build.ts'];
/** What dist/ was made of, by hash; the last file that a build writes. */
export const STAMP = new URL('dist/sources.sha256', ROOT);

/** One SHA-256 (hex) over the names and contents of all sources: unlike their times, equal after a copy. */
export function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const path of [...OTHERS, ...filesOfSrc()]) {
    const content = readFileSync(new URL(path, ROOT));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** Whether dist/ was made of the sources as they are now. */
export function isBuilt(): boolean {
  try {
    return readFileSync(STAMP, 'utf8') === hashOfSources();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

function filesOfSrc(): string[] {
  const names = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `src/${name}`);
}

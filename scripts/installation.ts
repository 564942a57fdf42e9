import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';

const ROOT = new URL('../', import.meta.url);
const FILE = new URL('dist/installation.json', ROOT);
const UNKNOWN = 'unknown';

/**
 * Writes what `stoa --version` tells of this build (src/domain/installation.ts). A commit may leave the sources as they
 * are, so this is written without a build too. Where the commit is unknown, what is there stays: the checkout may be
 * another user's, who has built it.
 */
export async function writeInstallation(): Promise<void> {
  const text = installation({ packaged: false });
  const before = await readFile(FILE, 'utf8').catch(() => '');
  const isUnknown = JSON.parse(text).commit === UNKNOWN;
  if (text !== before && !(isUnknown && before !== '')) await writeFile(FILE, text);
}

/** The content of `installation.json`. */
export function installation({ packaged }: { packaged: boolean }): string {
  return JSON.stringify({ commit: commit(), packaged });
}

/** The commit that is checked out. A copy without `.git` may be in a repository of something else. */
function commit(): string {
  if (!existsSync(new URL('.git', ROOT))) return UNKNOWN;
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // There is no git, or the checkout is another user's.
    return UNKNOWN;
  }
}

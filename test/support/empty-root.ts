import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from './command.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';

const ARGON2 = `argon2-linux-${process.arch}-gnu`;
const ARGON2_BINARY = `node_modules/@node-rs/${ARGON2}/${ARGON2.replace('argon2-', 'argon2.')}.node`;
/** The programs of Stoa that are no JavaScript. */
const BINARIES = [process.execPath, new URL(`../../${ARGON2_BINARY}`, import.meta.url).pathname];
/** What a Linux has on its own: a shell. `readlink` is for links to bin/stoa. */
const PROGRAMS = ['/bin/sh', '/bin/readlink'];
/** No user of this machine, so that nothing but the data folder of the root can be written to. */
const USER = 10_001;

export interface EmptyRoot {
  readonly path: string;
  /** Runs a program of the root, with the root as its whole file system, and returns what `run` does. */
  readonly command: (args: readonly string[]) => { program: string; args: string[]; cwd: string };
}

/**
 * A folder with a shell, `/tmp`, `/dev/null` and the libraries that Stoa needs, but for those in `without`. A program that
 * runs with it as its root finds no Node.js, no npm and no file of this machine. `/data` in it may be written to.
 */
export async function emptyRoot(
  t: Lifetime,
  { programs = PROGRAMS, without = [] }: { programs?: readonly string[]; without?: readonly string[] } = {},
): Promise<EmptyRoot> {
  const path = await temporaryFolder(t);
  const libraries = (await Promise.all([...BINARIES, ...programs].map(librariesOf))).flat();
  const wanted = new Set(
    [...programs, ...libraries].filter((file) => !without.some((name) => file.includes(name))),
  );
  for (const file of wanted) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await cp(file, join(path, file), { dereference: true });
  }
  // Programs of the root run as USER if root tests, and as the user who tests otherwise.
  await run('chmod', ['0755', path]);
  // SQLite changes large tables with the help of a temporary file.
  await mkdir(join(path, 'tmp'));
  await run('chmod', ['1777', join(path, 'tmp')]);
  // A process that is started with an ignored stream opens this.
  await mkdir(join(path, 'dev'));
  await writeFile(join(path, 'dev/null'), '');
  await run('chmod', ['0666', join(path, 'dev/null')]);
  await mkdir(join(path, 'data'), { mode: 0o700 });
  if (process.getuid?.() === 0) await run('chown', [`${USER}:${USER}`, join(path, 'data')]);
  return { path, command: (args) => commandIn(path, args) };
}

function commandIn(path: string, args: readonly string[]): { program: string; args: string[]; cwd: string } {
  if (process.getuid?.() === 0)
    return { program: 'chroot', args: [`--userspec=${USER}:${USER}`, path, ...args], cwd: '/' };
  return { program: 'unshare', args: ['--map-root-user', 'chroot', path, ...args], cwd: '/' };
}

/** The files that the loader opens for this program, the loader included. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]);
  return [...stdout.matchAll(/(?:^|\s)(\/\S+)/gm)].map(([, file = '']) => file);
}

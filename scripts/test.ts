import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from './sources.ts';
import { entriesOf, writeTable } from './testing/processes.ts';

/**
 * Runs the named test files, those of the named folders, or all, with `node --test`:
 * `node scripts/test.ts [--fast] [<file, folder or option> ...]`.
 * `--fast` takes the files without needs, on SQLite. The first line of a file says what the file needs: `// Needs:
 * ...`. Files share processes, except for those that need one of their own.
 */
const given = process.argv.slice(2);
const isFast = given.includes('--fast');
const options = given.filter((each) => each.startsWith('-') && each !== '--fast');
const named = given.filter((each) => !each.startsWith('-'));

const needs = (file: string) => /^\/\/ Needs: (.*)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
const all = (named.length > 0 ? named : ['test']).flatMap(filesOf);
const files = isFast ? all.filter((file) => needs(file) === '') : all;
const alone = files.filter((file) => needs(file).includes('no other file beside it'));
const own = files.filter((file) => needs(file).includes('a process of its own'));
const sharing = files.filter((file) => !alone.includes(file) && !own.includes(file));
const starting = sharing.filter((file) => /processes|browser/.test(needs(file)));
const others = sharing.filter((file) => !starting.includes(file));

const folder = mkdtempSync(join(tmpdir(), 'stoa-run-'));
// Where root tests, PostgreSQL runs as another user, who has to enter.
chmodSync(folder, 0o711);
const env = {
  ...process.env,
  STOA_TEST_RUN: folder,
  // What the tests make there is removed with the folder, also where a process was killed.
  TMPDIR: folder,
  // Each process finds the modules here that another one has compiled, in half the time.
  NODE_COMPILE_CACHE: new URL('../node_modules/.cache/stoa/compiled', import.meta.url).pathname,
  ...(isBuilt() ? { STOA_TEST_BUNDLE: 'yes' } : {}),
  ...(isFast ? { STOA_TEST_FAST: 'yes', STOA_TEST_ENGINE: 'sqlite' } : {}),
};
const module = (path: string) => new URL(path, import.meta.url).pathname;

/** Memory grows with each file that a process has run. */
const FILES_OF_PROCESS = 24;
/** The files of one folder are in as many processes, so that they keep both processors busy. */
const FEWEST_PROCESSES = 4;
/** To load the service takes half a second, so fewer files have no process more. */
const FEWEST_FILES = 4;
/** Files that start processes take long, and the last process to end should not run alone for long. */
const FILES_OF_STARTING_PROCESS = 4;

let isStopped = false;

/** Runs the test files of these processes, this many processes at a time. Returns the exit code. */
async function run(processes: readonly (readonly string[])[], concurrency: number): Promise<number> {
  if (processes.length === 0 || isStopped) return isStopped ? 1 : 0;
  const count = processes.flat().length;
  process.stdout.write(`Test files: ${count} in ${processes.length} processes, ${concurrency} at a time.\n`);
  const flags = [
    `--import=${module('./testing/preload.ts')}`,
    // Services that start and stop leave much garbage: this takes a twelfth off what each of them costs.
    '--max-semi-space-size=32',
    // Five processes keep two processors busy: threads that collect beside each of them only wait for one another.
    '--single-threaded-gc',
    '--test',
    '--test-timeout=600000',
    `--test-concurrency=${concurrency}`,
    `--test-reporter=${module('./testing/reporter.ts')}`,
    '--test-reporter-destination=stdout',
    ...(isFast ? [] : [`--test-global-setup=${module('../test/support/global-setup.ts')}`]),
  ];
  const entries = entriesOf(folder, processes);
  const child = spawn(process.execPath, [...flags, ...options, ...entries], { stdio: 'inherit', env });
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true;
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

const single = (file: string) => [file];
// A test file waits for disks, clocks and other processes, so five processes keep two processors busy.
const beside = [
  ...shared(others, FILES_OF_PROCESS),
  ...own.map(single),
  ...shared(starting, FILES_OF_STARTING_PROCESS),
];
const codes = [await run(beside, 5), await run(alone.map(single), 1)];
writeTable(folder);
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
process.exitCode = Math.max(...codes);

/** The files, spread over processes of at most `size` files. */
function shared(files: readonly string[], size: number): string[][] {
  const several = Math.min(FEWEST_PROCESSES, Math.floor(files.length / FEWEST_FILES));
  const processes = Math.max(Math.ceil(files.length / size), several);
  return Array.from({ length: processes }, (_, index) =>
    files.filter((_file, place) => place % processes === index),
  );
}

/** The file itself, or the test files of a folder. */
function filesOf(name: string): string[] {
  const found = statSync(name, { throwIfNoEntry: false });
  if (!found) throw new Error(`There is no test file or folder ${name}.`);
  return found.isDirectory() ? globSync(`${name}/**/*.test.{ts,mts}`).toSorted() : [name];
}

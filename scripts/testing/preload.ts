import type { ChildProcess } from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { parse } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';

/** Loaded before each test file (scripts/test.ts), and before each thread of it, which loads no more than it needs. */

/** How long the process of a test file may continue after its tests. */
const PATIENCE_MS = Number(process.env.STOA_TEST_PATIENCE ?? 30_000);
/** Modules of the service's threads. */
const THREADS = /\/src\/(operations|.*-thread)\.ts$/;
/** The module of the process that makes a backup. */
const PROCESS = /\/src\/backup-process\.ts$/;

if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined) {
  await import('./running-test.ts');
  (await import('node:test')).after(endStuckProcess);
}
if (isMainThread && process.env.STOA_TEST_FAST !== undefined)
  refuseProcesses((await import('node:child_process')).default);
else if (isMainThread && process.env.STOA_TEST_BUNDLE !== undefined)
  forkFromBundle((await import('node:child_process')).default);
if (!isMainThread && process.env.STOA_TEST_BUNDLE !== undefined && !hasOperationsOfTest())
  loadThreadsFromBundle();

/** Ends a process whose tests are done, if something keeps it alive. */
function endStuckProcess(): void {
  setTimeout(() => {
    process.stderr.write('It did not end: something keeps its process alive after its tests.\n');
    process.exit(1);
  }, PATIENCE_MS).unref();
}

function refuseProcesses(childProcess: object): void {
  const refuse = () => {
    throw new Error(
      'A test that starts a process needs the line "// Needs: processes." at the head of its file.',
    );
  };
  const starters = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];
  Object.assign(childProcess, Object.fromEntries(starters.map((name) => [name, refuse])));
  syncBuiltinESMExports();
}

/** The process of a backup starts in two fifths of the time from dist/, if that was made from the present sources. */
function forkFromBundle(childProcess: { readonly fork: (...given: never[]) => ChildProcess }): void {
  const { fork } = childProcess;
  const forkBundled = (module: string | URL, ...others: unknown[]) =>
    Reflect.apply(fork, childProcess, [PROCESS.test(String(module)) ? bundled(module) : module, ...others]);
  Object.assign(childProcess, { fork: forkBundled });
  syncBuiltinESMExports();
}

/** Threads start in half the time from dist/, if that was made from the present sources. */
function loadThreadsFromBundle(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const found = nextResolve(specifier, context);
      if (!THREADS.test(found.url)) return found;
      return { ...found, url: bundled(found.url).href, format: 'module' };
    },
  });
}

function bundled(module: string | URL): URL {
  return new URL(`../../dist/${parse(String(module)).name}.js`, import.meta.url);
}

/** A thread with operations of a test loads the sources, as those operations do. */
function hasOperationsOfTest(): boolean {
  const { operationsUrl } = Object(workerData) as { operationsUrl?: unknown };
  return typeof operationsUrl === 'string' && !THREADS.test(operationsUrl);
}

import { globSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { spec, type TestEvent } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { isBuilt } from './sources.ts';
import { Ledger } from './testing/ledger.ts';
import { closing, failureOf, isTotal, line, Totals } from './testing/report.ts';
import { runFiles } from './testing/run-files.ts';
import { sitesOf } from './testing/sites.ts';
import { FAST, stepsOf } from './testing/steps.ts';

/**
 * Runs all test files, or those that are named, and fails where a test has vanished (decisions 0036):
 * `node scripts/test.ts [--fast] [--timeout=<milliseconds of a test>] [<file> ...]`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fast: { type: 'boolean', default: false }, timeout: { type: 'string', default: '120000' } },
});
const timeout = Number(values.timeout);
const all = globSync(values.fast ? FAST : 'test/**/*.test.ts').toSorted();
const files = (positionals.length > 0 ? positionals : all).map((file) => resolve(file));

/** Without a build of the sources as they are, the threads of the service load the sources. */
const BUILT_THREADS = isBuilt()
  ? [`--import=${new URL('./testing/built-threads.ts', import.meta.url).href}`]
  : [];

const ledger = new Ledger(new Map(files.map((file) => [file, sitesOf(file)])));
const totals = new Totals();
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort());

async function* report(): AsyncGenerator<TestEvent> {
  const stuck: string[] = [];
  for (const { title, execArgv = [], ...options } of stepsOf(files, values.fast)) {
    const step = { ...options, execArgv: [...BUILT_THREADS, ...execArgv] };
    if (stopped.signal.aborted || stuck.length > 0) break;
    yield line(title);
    const signal = stopped.signal;
    for await (const event of runFiles({ ...step, timeout, signal, onStuck: (file) => stuck.push(file) })) {
      ledger.note(event);
      if (!isTotal(event)) yield event;
      else totals.add(event);
    }
  }
  for (const problem of [...stuck.map(toStuck), ...ledger.problems()]) {
    totals.addFailure();
    yield* failureOf(problem.file, `${relative('.', problem.file)}: ${problem.message}`);
  }
  for (const skipped of ledger.skipped) {
    if (process.env.CI === 'true') {
      totals.addFailure();
      yield* failureOf(undefined, `Skipped, which CI does not allow: ${skipped}`);
    } else yield line(`Skipped: ${skipped}`);
  }
  yield* closing(totals);
}

function toStuck(file: string) {
  return { file, message: 'it did not end; something keeps its process alive when its tests are done' };
}

if (!values.fast) await globalSetup();
try {
  await pipeline(Readable.from(report()), new spec(), process.stdout, { end: false });
} finally {
  await globalTeardown();
}
process.exitCode = totals.isGreen && !stopped.signal.aborted ? 0 : 1;

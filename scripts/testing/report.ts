import type { TestEvent } from 'node:test/reporters';

/** The reporter of Node.js expects the events of one run. This file makes them of the events of several runs. */

const CLOSING = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** True for the event that sums up one run, and for the lines of that sum. */
export function isTotal({ type, data }: TestEvent): boolean {
  if (type === 'test:summary') return data.file === undefined;
  return type === 'test:diagnostic' && data.nesting === 0 && CLOSING.test(data.message);
}

/** The sum of several runs. */
export class Totals {
  readonly #counts = { tests: 0, suites: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0 };
  readonly #began = performance.now();
  #failures = 0;
  #succeeded = true;

  add({ type, data }: TestEvent): void {
    if (type !== 'test:summary') return;
    for (const name of ['tests', 'suites', 'passed', 'cancelled', 'skipped', 'todo'] as const) {
      this.#counts[name] += data.counts[name];
    }
    this.#succeeded &&= data.success;
  }

  /** Counts a failure that no test reported. */
  addFailure(): void {
    this.#counts.tests++;
    this.#failures++;
  }

  get isGreen(): boolean {
    return this.#succeeded && this.#failures === 0;
  }

  /** The closing lines of a run, in the words of Node.js, which CI reads. */
  get lines(): string[] {
    const { tests, suites, passed, cancelled, skipped, todo } = this.#counts;
    return Object.entries({
      tests,
      suites,
      pass: passed,
      fail: tests - passed - cancelled - skipped - todo,
      cancelled,
      skipped,
      todo,
      duration_ms: performance.now() - this.#began,
    }).map(([name, value]) => `${name} ${value}`);
  }
}

/** A line of its own in the output. */
export function line(message: string): TestEvent {
  return { type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } };
}

/** Shows a failure that no test of a file reported, here and in the list at the end. */
export function* failureOf(file: string | undefined, name: string): Generator<TestEvent> {
  const place = { name, nesting: 0, tags: [], testId: 0, parentId: undefined };
  const where = file === undefined ? {} : { file, line: 1, column: 1 };
  yield { type: 'test:start', data: { ...place, ...where } };
  // Of an error with this code, the reporter shows the cause alone.
  const error = Object.assign(new Error(name), { code: 'ERR_TEST_FAILURE', cause: name });
  const details = { duration_ms: 0, error, type: 'test' as const };
  yield { type: 'test:fail', data: { ...place, ...where, testNumber: 0, details } };
}

export function* closing(totals: Totals): Generator<TestEvent> {
  for (const message of totals.lines) yield line(message);
}

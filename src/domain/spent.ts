import { AsyncLocalStorage } from 'node:async_hooks';
import type { StatementNotes } from './statements.ts';
import type { Trace } from './tracing.ts';

/** From this many milliseconds on, a request or an operation is slow. */
export const SLOW_MS = 1_000;
/** The longest parts that are told of a request. */
const TOLD = 5;

/** Where the time of one request went: milliseconds by part. Parts that run at the same time each count in full. */
export class Spent {
  /** Where traces are made, each part is one of its parts. */
  readonly trace: Trace | null;
  /** Inside of an operation that is traced: its statements. */
  readonly statements: StatementNotes | undefined;
  /** The whole request, which has the parts. */
  readonly #whole: Spent;
  #parts: Map<string, number> | undefined;

  constructor(trace: Trace | null = null, statements?: StatementNotes, whole?: Spent) {
    this.trace = trace;
    this.statements = statements;
    this.#whole = whole ?? this;
  }

  /** The same request, inside of an operation that notes its statements. */
  inside(statements: StatementNotes): Spent {
    return new Spent(this.trace, statements, this.#whole);
  }

  /** What takes less than a millisecond is left out, so that a quick request keeps nothing. */
  add(part: string, milliseconds: number): void {
    if (milliseconds < 1) return;
    const whole = this.#whole;
    whole.#parts ??= new Map();
    whole.#parts.set(part, (whole.#parts.get(part) ?? 0) + milliseconds);
  }

  /** The longest parts, the longest first, in whole milliseconds. */
  get longest(): Record<string, number> {
    const parts = [...(this.#parts ?? [])];
    const sorted = parts.toSorted(([, a], [, b]) => b - a).slice(0, TOLD);
    return Object.fromEntries(sorted.map(([part, milliseconds]) => [part, Math.round(milliseconds)]));
  }
}

const current = new AsyncLocalStorage<Spent | undefined>();

/** Runs work of a request. What it starts is measured too. */
export function measuredFor<Result>(spent: Spent, work: () => Result): Result {
  return current.run(spent, work);
}

/** Runs work that a request causes and does not wait for. */
export function outsideRequests<Result>(work: () => Result): Result {
  return current.run(undefined, work);
}

/** Runs the work of an operation for a caller in another thread or process, who asks for its statements. */
export function notingFor<Result>(statements: StatementNotes, work: () => Result): Result {
  return current.run(new Spent(null, statements), work);
}

/** Where the statements of the operation under way are noted. Undefined unless it is traced. */
export function statementsUnderWay(): StatementNotes | undefined {
  return current.getStore()?.statements;
}

/**
 * Counts the time until `work` settles for the request that waits for it. `otherwise` gets the part and its time outside
 * of requests.
 */
export function timed<Result>(
  part: string,
  work: () => Promise<Result>,
  otherwise: (part: string, milliseconds: number) => void = nobodyWaits,
): Promise<Result> {
  const spent = current.getStore();
  const begin = performance.now();
  const traced = spent?.trace?.begin(part);
  const result = spent && traced ? current.run(spent.inside(traced.statements), work) : work();
  const end = () => {
    const milliseconds = performance.now() - begin;
    if (spent) spent.add(part, milliseconds);
    else otherwise(part, milliseconds);
  };
  result.then(end, end);
  if (traced)
    result.then(
      () => traced.end(),
      (error) => traced.end(error),
    );
  return result;
}

function nobodyWaits(): void {}

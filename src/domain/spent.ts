import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trace } from './tracing.ts';

/** From this many milliseconds on, a request or an operation is slow. */
export const SLOW_MS = 1_000;
/** The longest parts that are told of a request. */
const TOLD = 5;

/** Where the time of one request went: milliseconds by part. Parts that run at the same time each count in full. */
export class Spent {
  /** Where traces are made, each part is one of its parts. */
  readonly trace: Trace | null;
  #parts: Map<string, number> | undefined;

  constructor(trace: Trace | null = null) {
    this.trace = trace;
  }

  /** What takes less than a millisecond is left out, so that a quick request keeps nothing. */
  add(part: string, milliseconds: number): void {
    if (milliseconds < 1) return;
    this.#parts ??= new Map();
    this.#parts.set(part, (this.#parts.get(part) ?? 0) + milliseconds);
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

/** Counts the time until `work` settles for the request that waits for it. `otherwise` gets it outside of requests. */
export function timed<Result>(
  part: string,
  work: Promise<Result>,
  otherwise: (milliseconds: number) => void = () => {},
): Promise<Result> {
  const spent = current.getStore();
  const begin = performance.now();
  const endPart = spent?.trace?.begin(part);
  const end = () => {
    const milliseconds = performance.now() - begin;
    if (spent) spent.add(part, milliseconds);
    else otherwise(milliseconds);
  };
  work.then(end, end);
  if (endPart) work.then(() => endPart(), endPart);
  return work;
}

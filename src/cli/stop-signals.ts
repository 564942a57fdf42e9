import { OperatorError } from '../domain/operator-error.ts';

/** One Ctrl-C arrives twice: the terminal sends it to npm and to the service, and npm repeats it. */
const SAME_MS = 1_000;

/** Those that npm passes on, and that of a terminal that is closed. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * Calls `stop` at the first signal. Calls `insist` at a further one, except if the first signal repeats within a
 * second. Returns a function that stops listening.
 */
export function onStopSignals(stop: (signal: StopSignal) => void, insist: (signal: StopSignal) => void) {
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  const hear = (signal: StopSignal) => {
    const now = performance.now();
    if (!first) {
      first = { signal, at: now };
      stop(signal);
    } else if (signal !== first.signal || now - first.at > SAME_MS) {
      insist(signal);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, hear);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, hear);
  };
}

/** Runs work with a signal that a stop signal aborts. Fails then with OperatorError and the sentence. */
export async function unlessInterrupted<Result>(
  sentence: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } catch (error) {
    throw stopping.signal.aborted ? new OperatorError(sentence) : error;
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

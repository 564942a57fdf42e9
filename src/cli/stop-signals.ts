/** A terminal sends a signal to npm and to the service, and npm passes its own on: one Ctrl-C arrives twice. */
const SAME_MS = 1_000;

/** The signals that npm passes on. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * Calls `stop` at the first signal, and `insist` at a further one, unless that is the first signal once more within a
 * second. Returns a function that ends this.
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

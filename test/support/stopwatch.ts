import { readFileSync } from 'node:fs';

/**
 * Begins to measure. The result says how many milliseconds have passed, without those in which something on this machine
 * waited for a processor: they tell of other work, and a bound on the others holds on a busy machine too.
 */
export function stopwatch(): () => number {
  const [began, waitedThen] = [performance.now(), waitedForProcessor()];
  return () => performance.now() - began - (waitedForProcessor() - waitedThen);
}

/** Milliseconds since the start of the machine, as Linux counts them (Documentation/accounting/psi.rst); 0 elsewhere. */
function waitedForProcessor(): number {
  try {
    const [, microseconds] = /^some .* total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? [];
    return Number(microseconds ?? 0) / 1_000;
  } catch {
    return 0;
  }
}

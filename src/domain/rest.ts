import { setTimeout as pause } from 'node:timers/promises';

/** Waits without keeping the process alive. Ends early when the signal is aborted. */
export function restFor(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return pause(milliseconds, undefined, { signal: stopping, ref: false }).catch(() => {});
}

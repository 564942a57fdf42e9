import { mock } from 'node:test';

const MINUTE_MS = 60_000;
const waiting = new Map<unknown, () => void>();
const { setTimeout: realSet, clearTimeout: realClear } = globalThis;

// Once this module is loaded, timers of exactly a minute wait for `passMinute`. All other timers work as usual.
mock.method(globalThis, 'setTimeout', (work: () => void, ms?: number, ...args: []) => {
  if (ms !== MINUTE_MS) return realSet(work, ms, ...args);
  const timer = realSet(() => {}, ms);
  waiting.set(timer, work);
  return timer;
});
mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout | undefined) => {
  waiting.delete(timer);
  realClear(timer);
});

/** Runs all timers that wait for a minute. Fails where there is none. */
export function passMinute(): void {
  if (waiting.size === 0) throw new Error('Nothing waits for the end of a minute.');
  const due = [...waiting.values()];
  waiting.clear();
  for (const work of due) work();
}

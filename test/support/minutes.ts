import { mock } from 'node:test';

const MINUTE_MS = 60_000;
const waiting = new Map<unknown, () => void>();
const { setTimeout: realSet, clearTimeout: realClear } = globalThis;

// From the moment that this module is loaded, what this process does after exactly a minute waits for
// `passMinute`. All other times pass as ever.
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

/** Does what waits for the end of a minute, once. Fails where nothing does. */
export function passMinute(): void {
  if (waiting.size === 0) throw new Error('Nothing waits for the end of a minute.');
  const due = [...waiting.values()];
  waiting.clear();
  for (const work of due) work();
}

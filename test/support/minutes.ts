import { AsyncLocalStorage } from 'node:async_hooks';

const MINUTE_MS = 60_000;
/** A run of a job that began before a minute passed ends within this time. */
const LATE_MS = 10_000;
const waiting = new Map<unknown, () => void>();
const { setTimeout: realSet, clearTimeout: realClear } = globalThis;

/** How many minutes had passed when the work began that is under way. */
const minutesAtBegin = new AsyncLocalStorage<number>();
let minutes = 0;
let passedAt = Number.NEGATIVE_INFINITY;

// Once this module is loaded, timers of exactly a minute wait for `passMinute`. All other timers work as usual. These
// are no mocks of `node:test`, which undoes mocks at the end of a file that shares its process.
globalThis.setTimeout = new Proxy(realSet, {
  apply: (_set, _self, [work, ms, ...args]: [() => void, number?, ...unknown[]]) => {
    if (ms !== MINUTE_MS) return realSet(work, ms, ...args);
    if (isLate()) return realSet(() => minutesAtBegin.run(minutes, work), 0);
    const timer = realSet(() => {}, ms);
    waiting.set(timer, work);
    return timer;
  },
});
globalThis.clearTimeout = (timer) => {
  waiting.delete(timer);
  realClear(timer);
};

/** Did a minute pass while the job was still running that sets this timer? */
function isLate(): boolean {
  return (minutesAtBegin.getStore() ?? 0) < minutes && performance.now() - passedAt < LATE_MS;
}

/** Runs all timers that wait for a minute, and those of the jobs that are running now as soon as they are set. */
export function passMinute(): void {
  minutes++;
  passedAt = performance.now();
  const due = [...waiting.values()];
  waiting.clear();
  for (const work of due) minutesAtBegin.run(minutes, work);
}

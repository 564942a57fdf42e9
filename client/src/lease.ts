import { pause } from './waiting.ts';

/** Between a look and the next, and between a note and the proof that no other tab wrote one in the same moment. */
const LOOK_MS = 50;

/**
 * Runs the work while no other tab does, by a note in localStorage, for browsers without locks. Of two tabs that write at
 * once, the later note stands. Nobody waits for longer than `longest` milliseconds, since a tab that was closed leaves its
 * note.
 */
export async function withLease<Value>(
  name: string,
  longest: number,
  work: (waited: boolean) => Promise<Value>,
): Promise<Value> {
  const [key, own] = [`${name} lease`, `${Math.random()}`];
  const storage = openStorage(key);
  if (!storage) return work(false);
  const holder = () => storage.getItem(key);
  let waited = false;
  for (const until = performance.now() + longest; performance.now() < until; waited = true) {
    if (holder() === null) storage.setItem(key, own);
    await pause(LOOK_MS);
    if (holder() === own) break;
  }
  if (holder() !== own) storage.setItem(key, own);
  return await work(waited).finally(() => {
    if (holder() === own) storage.removeItem(key);
  });
}

/** Undefined where a browser refuses its storage to a page, or where it is full. */
function openStorage(key: string): Storage | undefined {
  try {
    const storage = globalThis.localStorage;
    storage.setItem(`${key} try`, '');
    storage.removeItem(`${key} try`);
    return storage;
  } catch {
    return undefined;
  }
}

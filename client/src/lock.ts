import { withLease } from './lease.ts';

/** A tab that is frozen keeps its lock, so that nobody waits for longer, except a sign-in. */
const WAIT_MS = 3_000;

/**
 * Runs the work while no other tab does: with a lock of the browser, or a lease where it has none, as on plain HTTP. After
 * `longest` milliseconds the work runs without it. `waited` says that another tab held the lock meanwhile. Tabs that
 * refreshed at once could use a successor before the last of them presents its parent, which ends the session.
 */
export async function oneTabAtATime<Value>(
  name: string | undefined,
  work: (waited: boolean) => Promise<Value>,
  longest = WAIT_MS,
): Promise<Value> {
  const locks = globalThis.navigator?.locks;
  if (name === undefined) return work(false);
  if (!locks) return withLease(name, longest, work);
  let done: Promise<Value> | undefined;
  const run = (waited: boolean) => {
    done = work(waited);
    return done;
  };
  const free = await locks
    .request(name, { ifAvailable: true }, async (lock) => lock && { value: await run(false) })
    .catch(rethrow);
  if (free) return free.value;
  const tooLong = new AbortController();
  const timer = setTimeout(() => tooLong.abort(), longest);
  const granted = await locks
    .request(name, { signal: tooLong.signal }, async () => {
      clearTimeout(timer);
      return { value: await run(true) };
    })
    .catch(rethrow);
  clearTimeout(timer);
  return granted ? granted.value : work(true);

  /** A lock that was not granted is no failure, and the failure of the work is. */
  function rethrow(error: unknown): undefined {
    if (done) throw error;
    return undefined;
  }
}

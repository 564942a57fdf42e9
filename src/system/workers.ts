import { WORKER_MEMORY, WORKER_STATES, type WorkerState, type Workers } from '../domain/workers.ts';

/** Longer than the primary waits for a worker. */
const PATIENCE_MS = 3_000;

/**
 * Returns a function that reads how the processes are that serve requests on this machine. A worker asks the primary, so
 * each gives the same list. The list is empty where the primary does not answer in time: the rest of the page is needed
 * most then.
 */
export function openWorkers(
  workers: Workers | undefined,
  startedAt: number,
): () => Promise<readonly WorkerState[]> {
  const memory = async () => process.memoryUsage.rss();
  if (!workers)
    return async () => [{ number: 1, isServing: true, restarts: 0, startedAt, memoryBytes: await memory() }];
  const { primary } = workers;
  primary.answer(WORKER_MEMORY, memory);
  return async () => {
    const states = await primary.callWithin(PATIENCE_MS, WORKER_STATES, null);
    return Array.isArray(states) ? states.filter(isState) : [];
  };
}

function isState(state: unknown): state is WorkerState {
  return typeof state === 'object' && state !== null && 'number' in state && 'restarts' in state;
}

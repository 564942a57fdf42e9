import type { Peer } from '../domain/peer.ts';
import { WORKER_MEMORY, type WorkerState } from '../domain/workers.ts';

/** A worker that does not answer within this time is told of without its memory. */
const PATIENCE_MS = 1_000;

/** One of as many workers as the service has, whichever process is that now. */
export interface WorkerPlace {
  /** From 1 on. */
  readonly number: number;
  /** How many have ended there, and are replaced. */
  restarts: number;
}

interface Worker {
  readonly place: WorkerPlace;
  readonly peer: Peer;
  /** Of the clock that only goes forward. */
  readonly startedAt: number;
  readonly isServing: boolean;
}

/** How the worker of each place is now. Only those that serve are asked: others would not answer yet. */
export function statesOf(places: readonly WorkerPlace[], workers: readonly Worker[]): Promise<WorkerState[]> {
  const states = places.map(async ({ number, restarts }): Promise<WorkerState> => {
    const worker = workers.find(({ place }) => place.number === number);
    const isServing = worker?.isServing === true;
    const memory = isServing && (await worker.peer.callWithin(PATIENCE_MS, WORKER_MEMORY, null));
    return {
      ...{ number, restarts, isServing },
      startedAt: worker && Math.round(performance.timeOrigin + worker.startedAt),
      memoryBytes: typeof memory === 'number' ? memory : undefined,
    };
  });
  return Promise.all(states);
}

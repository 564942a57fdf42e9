import type { Peer } from './peer.ts';

/** The worker processes that are one service together (docs/decisions/running.md), as one of them sees them. */
export interface Workers {
  readonly count: number;
  /** The process that started them. */
  readonly primary: Peer;
}

/** How one of the workers is. A process id would be of no use to admins, who do not see the machine. */
export interface WorkerState {
  /** From 1 on. A worker that replaces another one has its number. */
  readonly number: number;
  /** False from the end of one until the next takes requests. */
  readonly isServing: boolean;
  /** How many of this number have ended and were replaced. */
  readonly restarts: number;
  /** Milliseconds since 1970. Undefined while there is none. */
  readonly startedAt: number | undefined;
  /** Undefined where it did not answer in time. */
  readonly memoryBytes: number | undefined;
}

/** A worker asks its primary for a `WorkerState` of each, and the primary each worker for its bytes of memory. */
export const WORKER_STATES = 'worker_states';
export const WORKER_MEMORY = 'worker_memory';

/** The part that each of some processes gets of what they may have together, rounded up. */
export function partOf(total: number, processes: number): number {
  return Math.ceil(total / processes);
}

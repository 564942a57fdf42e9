import type { Peer } from './peer.ts';

/** The worker processes that are one service together (docs/decisions/running.md), as one of them sees them. */
export interface Workers {
  readonly count: number;
  /** The process that started them. */
  readonly primary: Peer;
}

/** The part that each of some processes gets of what they may have together, rounded up. */
export function partOf(total: number, processes: number): number {
  return Math.ceil(total / processes);
}

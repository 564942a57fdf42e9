import type { Failure } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { lruOf } from '../services/lru.ts';
import { Budget } from '../services/throttle/budget.ts';

/** Some 200 bytes each. */
const REMEMBERED = 20_000;

/** Refresh tokens that were refused. A good one is never counted, and never waits. */
export class Refusals {
  readonly #budget: Budget;
  readonly #endedSessions = lruOf<true>(REMEMBERED);

  constructor(perHour: number) {
    this.#budget = new Budget(perHour, 'Too many refresh tokens were refused; try again later, or log in.');
  }

  /** A session that has ended stays so: its tokens, sent again and again, then cost the database nothing. */
  hasEnded(sessionId: string): boolean {
    return this.#endedSessions.has(sessionId);
  }

  remember(endedSession: string): void {
    this.#endedSessions.set(endedSession, true);
  }

  /** Refuses a token: by `why`, or with `too_many_requests` where the source has sent too many of such. */
  refuse(why: Failure, { source }: Origin, now: number): never {
    this.#budget.spend(source, now);
    throw why;
  }
}

import type { Signal } from '../domain/signal.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { Searches } from '../services/searches/searches.ts';
import type { Store } from '../store/store.ts';

/** What the routes of users work with. */
export interface UsersParts {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly searches: Searches;
  /** Sent after a write that ended sessions or took a role. */
  readonly sessionsEnded: Signal;
  readonly sendsMail: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

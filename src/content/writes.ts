import type { WriteBudget } from '../services/throttle/write-budget.ts';
import type { Store } from '../store/store.ts';
import type { StoredBytes } from './stored.ts';

/** What the routes that write items work with. */
export interface ContentWrites {
  readonly store: Store;
  readonly writes: WriteBudget;
  readonly stored: StoredBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

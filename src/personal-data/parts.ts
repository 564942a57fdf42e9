import type { Section } from '../accounts/personal-data.ts';
import type { Signal } from '../domain/signal.ts';
import type { Store } from '../store/store.ts';

/** What the routes of personal data work with. */
export interface PersonalDataParts {
  readonly store: Store;
  /** What an export has. */
  readonly sections: readonly Section[];
  /** Sent after a write that ended sessions. */
  readonly sessionsEnded: Signal;
  /** From the closing of an account by its owner to its removal. */
  readonly graceMs: number;
  readonly sendsMail: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

import type { Attempts } from '../services/throttle/attempts.ts';
import type { Budget } from '../services/throttle/budget.ts';
import type { Store } from '../store/store.ts';
import type { AccessTokens } from './access-token.ts';
import type { Authenticator } from './authenticator.ts';
import type { HashingPool } from './hashing/pool.ts';
import type { RefreshTokens } from './refresh-token.ts';
import type { Refusals } from './refusals.ts';

/** What the auth verbs work with; `app.ts` puts it together. */
export interface AuthParts {
  readonly store: Store;
  readonly hashing: HashingPool;
  /** Sign-ins under way. */
  readonly attempts: Attempts;
  readonly registrations: Budget;
  /** Of personal access tokens, by account. */
  readonly newTokens: Budget;
  /** Of refresh tokens. */
  readonly refusals: Refusals;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly authenticator: Authenticator;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Living ones at most. */
  readonly sessionLimit: number;
  /** Folded common passwords that registration refuses. */
  readonly passwordBlocklist: ReadonlySet<string>;
}

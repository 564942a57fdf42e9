import type { Store } from '../store/store.ts';
import type { AccessTokens } from './access-token.ts';
import type { Authenticator } from './authenticator.ts';
import type { HashingPool } from './hashing/pool.ts';
import type { RefreshTokens } from './refresh-token.ts';

/** What the auth verbs work with; `app.ts` puts it together. */
export interface AuthParts {
  readonly store: Store;
  readonly hashing: HashingPool;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly authenticator: Authenticator;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Folded common passwords that registration refuses. */
  readonly passwordBlocklist: ReadonlySet<string>;
}

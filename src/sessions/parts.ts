import type { LRUCache } from 'lru-cache';
import type { LocalLimits } from '../services/limits/local.ts';
import type { Store } from '../store/store.ts';
import type { AccessTokens } from './access-token.ts';
import type { OwnPages } from './own-page.ts';
import type { RefreshTokens } from './refresh-token.ts';

/** What the verbs of sessions work with. */
export interface SessionParts {
  readonly store: Store;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  /** Ids of sessions that have ended, which they stay: their tokens, sent again and again, cost the database nothing. */
  readonly endedSessions: LRUCache<string, true>;
  /** Those whose cookies count. */
  readonly ownPages: OwnPages;
  /** Living sessions of an account, at most. */
  readonly sessionLimit: number;
  readonly limits: LocalLimits;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

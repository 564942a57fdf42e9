import type { Notice } from '../domain/notice.ts';
import type { MfaRequired } from '../domain/second-factor.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { Attempts } from '../services/throttle/attempts.ts';
import type { Budget } from '../services/throttle/budget.ts';
import type { Store } from '../store/store.ts';
import type { AccessTokens } from './access-token.ts';
import type { Authenticator } from './authenticator.ts';
import type { OwnPages } from './browser/own-page.ts';
import type { HashingPool } from './hashing/pool.ts';
import type { PasskeyParts } from './passkeys/parts.ts';
import type { RefreshTokens } from './refresh-token.ts';
import type { Refusals } from './refusals.ts';

/** What the auth verbs work with; `feature.ts` puts it together. */
export interface AuthParts {
  readonly store: Store;
  readonly hashing: HashingPool;
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  /** Who may register. */
  readonly registration: 'open' | 'invite' | 'closed';
  /** Does an account sign in only after its address was proved? */
  readonly requiresProof: boolean;
  /** Tells of what failed after its answer. */
  readonly notice: Notice;
  /** Sign-ins under way. */
  readonly attempts: Attempts;
  readonly registrations: Budget;
  /** Of one account: names of sessions, tokens and passkeys. */
  readonly nameChanges: Budget;
  /** Requests for a new password by mail, and uses of the link. */
  readonly passwordResets: Budget;
  /** Of one source: uses of links that concern addresses, and requests to prove one. */
  readonly mailedLinks: Budget;
  readonly passkeys: PasskeyParts;
  /** Of refresh tokens. */
  readonly refusals: Refusals;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly authenticator: Authenticator;
  /** Those whose cookies count. */
  readonly ownPages: OwnPages;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Living ones at most. */
  readonly sessionLimit: number;
  /** Of whom a second factor is required. */
  readonly mfaRequired: MfaRequired;
  /** The name of the service, as authenticator apps show it. */
  readonly issuer: string;
  /** Folded common passwords that nobody may choose. */
  readonly passwordBlocklist: ReadonlySet<string>;
}

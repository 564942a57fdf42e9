import { hash } from 'node:crypto';
import type { Caller } from '../domain/account.ts';
import { tokenExpired, tokenRevoked } from '../domain/failure.ts';
import { lruOf } from '../services/lru.ts';
import type { Change } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import { findCaller } from './session.ts';

/** A session's state is trusted this long after it was read: revocation holds everywhere within a second. */
const TRUST_MS = 900;
/** Some 300 bytes each. */
const REMEMBERED = 20_000;

interface SeenSession {
  readonly caller: Caller;
  readonly readAt: number;
}

/**
 * Tells who holds an access token. A signature is verified once per token and a session is read once
 * per TRUST_MS, so that a request costs two look-ups in memory; what is older than that is read anew,
 * which makes a revocation by any instance known here in time, even if nobody tells us; where somebody
 * does (`forget`), it is at once. All else that can come to an end is asked at every use: the token's
 * life, its key, and whose session it is.
 */
export class Authenticator {
  readonly #tokens: AccessTokens;
  readonly #store: Store;
  readonly #clock: () => number;
  /** By the hash of the token: short, and of no use to whoever reads the memory. */
  readonly #verified = lruOf<AccessClaims>(REMEMBERED);
  readonly #sessions = lruOf<SeenSession>(REMEMBERED);

  constructor(tokens: AccessTokens, store: Store, clock: () => number) {
    this.#tokens = tokens;
    this.#store = store;
    this.#clock = clock;
  }

  /** Fails with `token_invalid`, `token_expired` or `token_revoked`. */
  async authenticate(token: string): Promise<Caller> {
    const fingerprint = hash('sha256', token, 'base64url');
    let claims = this.#verified.get(fingerprint);
    if (!claims) {
      claims = await this.#tokens.verify(token);
      this.#verified.set(fingerprint, claims);
    }
    const now = this.#clock();
    if (claims.expiresAt <= now) {
      this.#verified.delete(fingerprint);
      throw tokenExpired();
    }
    this.#tokens.requireKey(claims);
    return this.#callerOf(claims, now);
  }

  /** Makes sure that what is known of a session, or of all, is read anew at its next request. */
  forget(change: Change): void {
    if (change === 'anything') this.#sessions.clear();
    else this.#sessions.delete(change.key);
  }

  async #callerOf({ sessionId, userId }: AccessClaims, now: number): Promise<Caller> {
    const seen = this.#sessions.get(sessionId);
    if (seen && now - seen.readAt < TRUST_MS) {
      if (seen.caller.userId !== userId) throw tokenRevoked();
      return seen.caller;
    }
    const caller = await this.#store.read(findCaller, { sessionId, userId, now });
    if (!caller) {
      this.#sessions.delete(sessionId);
      throw tokenRevoked();
    }
    this.#sessions.set(sessionId, { caller, readAt: now });
    return caller;
  }
}

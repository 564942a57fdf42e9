import { LRUCache } from 'lru-cache';
import type { Caller } from '../domain/account.ts';
import type { Change } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import { type AccessClaims, type AccessTokens, tokenExpired, tokenRevoked } from './access-token.ts';
import { findCaller } from './session.ts';

/** A session's state is trusted this long after it was read: revocation holds everywhere within a second. */
const TRUST_MS = 900;
const REMEMBERED = 20_000;

interface SeenSession {
  readonly caller: Caller;
  readonly readAt: number;
}

/**
 * Tells who holds an access token. A signature is verified once per token and a session is read once
 * per TRUST_MS, so that a request costs two look-ups in memory; what is older than that is read anew,
 * which makes a revocation by any instance known here in time, even if nobody tells us; where somebody
 * does (`forget`), it is at once.
 */
export class Authenticator {
  readonly #tokens: AccessTokens;
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #verified = new LRUCache<string, AccessClaims>({ max: REMEMBERED });
  readonly #sessions = new LRUCache<string, SeenSession>({ max: REMEMBERED });

  constructor(tokens: AccessTokens, store: Store, clock: () => number) {
    this.#tokens = tokens;
    this.#store = store;
    this.#clock = clock;
  }

  /** Fails with `token_invalid`, `token_expired` or `token_revoked`. */
  async authenticate(token: string): Promise<Caller> {
    let claims = this.#verified.get(token);
    if (!claims) {
      claims = await this.#tokens.verify(token);
      this.#verified.set(token, claims);
    }
    const now = this.#clock();
    if (claims.expiresAt <= now) throw tokenExpired();
    const seen = this.#sessions.get(claims.sessionId);
    if (seen && now - seen.readAt < TRUST_MS) return seen.caller;
    return this.#readCaller(claims, now);
  }

  /** Makes sure that what is known of a session, or of all, is read anew at its next request. */
  forget(change: Change): void {
    if (change === 'anything') this.#sessions.clear();
    else this.#sessions.delete(change.session);
  }

  async #readCaller({ sessionId, userId }: AccessClaims, now: number): Promise<Caller> {
    const caller = await this.#store.read(findCaller, { sessionId, now });
    if (caller?.userId !== userId) {
      this.#sessions.delete(sessionId);
      throw tokenRevoked();
    }
    this.#sessions.set(sessionId, { caller, readAt: now });
    return caller;
  }
}

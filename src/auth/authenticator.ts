import type { CallerKey } from '../accounts/living-session.ts';
import type { Caller } from '../domain/account.ts';
import { type Failure, tokenExpired, tokenInvalid, tokenRevoked } from '../domain/failure.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { lruOf } from '../services/lru.ts';
import type { Change } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import { isWellFormed } from './personal-token.ts';
import type { PersonalTokenUses } from './personal-token-uses.ts';
import { findCaller, findPersonalToken } from './session.ts';
import { isPersonalToken } from './token-shape.ts';

/** A session's state is trusted this long after it was read: revocation holds everywhere within a second. */
const TRUST_MS = 900;
/** Some 300 bytes each. */
const REMEMBERED = 20_000;

const NO_PERSONAL_TOKEN = 'This is no personal access token of this service; make a new one.';

function tokenEnded(): Failure {
  return tokenRevoked('This personal access token has expired or was revoked; make a new one.');
}

interface SeenSession {
  readonly caller: Caller;
  readonly readAt: number;
}

/**
 * Tells who holds an access token, or a personal access token. A signature is verified once per token and a
 * session is read once per TRUST_MS, so that a request costs two look-ups in memory; what is older than that
 * is read anew, which makes a revocation by any instance known here in time, even if nobody tells us; where
 * somebody does (`forget`), it is at once. All else that can come to an end is asked at every use: the
 * token's life, its key, and whose session it is. A personal access token lives as long as its session.
 */
export class Authenticator {
  readonly #tokens: AccessTokens;
  readonly #uses: PersonalTokenUses;
  readonly #store: Store;
  readonly #clock: () => number;
  /** By the hash of the token: short, and of no use to whoever reads the memory. */
  readonly #verified = lruOf<AccessClaims>(REMEMBERED);
  readonly #sessions = lruOf<SeenSession>(REMEMBERED);
  /** Personal access tokens, by their hash. Each has one session for as long as it lives. */
  readonly #personal = lruOf<CallerKey>(REMEMBERED);

  constructor(tokens: AccessTokens, uses: PersonalTokenUses, store: Store, clock: () => number) {
    this.#tokens = tokens;
    this.#uses = uses;
    this.#store = store;
    this.#clock = clock;
  }

  /** Fails with `token_invalid`, `token_expired` or `token_revoked`. */
  async authenticate(token: string): Promise<Caller> {
    const fingerprint = hashOfToken(token);
    let claims = this.#verified.get(fingerprint);
    if (!claims) {
      if (isPersonalToken(token)) return this.#holderOf(token, fingerprint);
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

  /** The hash is what the database has of the token. */
  async #holderOf(token: string, tokenHash: string): Promise<Caller> {
    if (!isWellFormed(token)) throw tokenInvalid(NO_PERSONAL_TOKEN);
    let session = this.#personal.get(tokenHash);
    if (!session) {
      session = (await this.#store.read(findPersonalToken, { tokenHash })) ?? undefined;
      if (!session) throw tokenInvalid(NO_PERSONAL_TOKEN);
      this.#personal.set(tokenHash, session);
    }
    const now = this.#clock();
    const caller = await this.#callerOf(session, now, tokenEnded);
    this.#uses.note(session.sessionId, now);
    return caller;
  }

  async #callerOf(
    { sessionId, userId }: CallerKey,
    now: number,
    ended: () => Failure = tokenRevoked,
  ): Promise<Caller> {
    const seen = this.#sessions.get(sessionId);
    if (seen && now - seen.readAt < TRUST_MS) {
      if (seen.caller.userId !== userId) throw ended();
      return seen.caller;
    }
    const caller = await this.#store.read(findCaller, { sessionId, userId, now });
    if (!caller) {
      this.#sessions.delete(sessionId);
      throw ended();
    }
    this.#sessions.set(sessionId, { caller, readAt: now });
    return caller;
  }
}

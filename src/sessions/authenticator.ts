import type { Caller } from '../domain/account.ts';
import { type Failure, tokenExpired, tokenInvalid, tokenRevoked } from '../domain/failure.ts';
import type { Reading } from '../domain/metrics.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { lruOf } from '../services/lru.ts';
import type { Announcement } from '../store/announcements.ts';
import type { Store } from '../store/store.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import type { CallerKey, LivingSession } from './living-session.ts';
import { isWellFormed } from './personal-token.ts';
import type { PersonalTokenUses } from './personal-token-uses.ts';
import { findCaller, findPersonalToken } from './session.ts';
import { isPersonalToken } from './token-shape.ts';

/** A session's state is trusted this long after it was read: revocation holds everywhere within a second. */
const TRUST_MS = 900;
/** Some 500 bytes each. */
const REMEMBERED = 20_000;

const NO_PERSONAL_TOKEN = 'This is no personal access token of this service; make a new one.';

function tokenEnded(): Failure {
  return tokenRevoked('This personal access token has expired or was revoked; make a new one.');
}

interface SeenSession {
  readonly userId: number;
  /** Null where the session has ended. Every request that comes while it is read waits for the same read. */
  readonly caller: Promise<Caller | null>;
  /** When the read began, in milliseconds since 1970. */
  readonly readAt: number;
}

/**
 * Tells who holds an access token, or a personal access token. A signature is verified once per token and a session is
 * read once per TRUST_MS, so that a request costs two look-ups in memory. A session that an announcement names is
 * read again at its next request (`Store.onAnnouncement`). A change that was not announced is known after TRUST_MS. Every use
 * checks the token's life, its key, and whose session it is. A personal access token lives as long as its session.
 */
export class Authenticator {
  readonly #tokens: AccessTokens;
  readonly #uses: PersonalTokenUses;
  readonly #store: Store;
  readonly #clock: () => number;
  /** By the hash of the token, which is short and opens nothing. */
  readonly #verified = lruOf<AccessClaims>(REMEMBERED);
  readonly #sessions = lruOf<SeenSession>(REMEMBERED);
  /** Personal access tokens, by their hash. Each has one session for as long as it lives. */
  readonly #personal = lruOf<CallerKey>(REMEMBERED);

  constructor(tokens: AccessTokens, uses: PersonalTokenUses, store: Store, clock: () => number) {
    this.#tokens = tokens;
    this.#uses = uses;
    this.#store = store;
    this.#clock = clock;
    store.onAnnouncement((announcement) => this.#forget(announcement));
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

  get readings(): readonly Reading[] {
    return [
      ...this.#verified.readings('access tokens'),
      ...this.#personal.readings('personal access tokens'),
      ...this.#sessions.readings('sessions'),
    ];
  }

  /** What is being read may be out of date too. */
  #forget(announcement: Announcement): void {
    if (announcement === 'anything') this.#sessions.clear();
    else if (announcement.topic === 'session') this.#sessions.delete(announcement.key);
    else if (announcement.topic === 'account') this.#forgetAccount(announcement.key);
  }

  /** Looks at all that is remembered, which takes a millisecond. Forgetting all would cost a read for every session. */
  #forgetAccount(userId: number): void {
    const own = [];
    for (const [sessionId, seen] of this.#sessions) if (seen.userId === userId) own.push(sessionId);
    for (const sessionId of own) this.#sessions.delete(sessionId);
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
    const last = this.#sessions.get(sessionId);
    const seen = last && isTrusted(last, now) ? last : this.#read({ sessionId, userId, now });
    const caller = seen.userId === userId ? await seen.caller : null;
    if (!caller) throw ended();
    return caller;
  }

  #read({ sessionId, userId, now }: LivingSession): SeenSession {
    const caller = this.#store.read(findCaller, { sessionId, userId, now });
    const seen: SeenSession = { userId, caller, readAt: now };
    this.#sessions.set(sessionId, seen);
    const forget = () => {
      if (this.#sessions.get(sessionId) === seen) this.#sessions.delete(sessionId);
    };
    caller.then((found) => found ?? forget(), forget);
    return seen;
  }
}

/** Before `readAt`, the clock was set back: a session must not be trusted until the clock is there again. */
function isTrusted({ readAt }: SeenSession, now: number): boolean {
  return now >= readAt && now - readAt < TRUST_MS;
}

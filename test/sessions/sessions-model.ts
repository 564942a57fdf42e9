/** What must be true of accounts and sessions, as plainly as it can be said (docs/decisions/sessions.md). */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;
const GRACE_MS = 10 * SECOND;
const ACCESS_MS = 15 * MINUTE;
const IDLE_MS = 14 * DAY;
const ABSOLUTE_MS = 30 * DAY;
/** By then every instance knows that a session has ended. */
export const SOON_MS = SECOND;

export interface ModelAccount {
  readonly username: string;
  isDisabled: boolean;
}

interface AccessToken {
  readonly text: string;
  readonly expiresAt: number;
}

export interface ModelSession {
  readonly account: ModelAccount;
  /** All that were ever given, the living one last. */
  readonly refreshTokens: string[];
  readonly accessTokens: AccessToken[];
  readonly absoluteUntil: number;
  idleUntil: number;
  rotatedAt: number;
  /** When it was ended, and the instance that knows it at once. */
  ended?: { readonly at: number; readonly on?: number };
}

export interface Sessions {
  readonly accounts: ModelAccount[];
  readonly sessions: ModelSession[];
  logins: number;
  restarts: number;
}

export interface Issued {
  readonly token: string;
  readonly refresh_token: string;
}

export function begun(account: ModelAccount, issued: Issued, now: number): ModelSession {
  return {
    account,
    refreshTokens: [issued.refresh_token],
    accessTokens: [accessToken(issued, now)],
    absoluteUntil: now + ABSOLUTE_MS,
    idleUntil: now + IDLE_MS,
    rotatedAt: now,
  };
}

/** The living token was presented and answered. */
export function rotate(session: ModelSession, issued: Issued, now: number): void {
  session.refreshTokens.push(issued.refresh_token);
  session.accessTokens.push(accessToken(issued, now));
  session.rotatedAt = now;
  session.idleUntil = Math.min(now + IDLE_MS, session.absoluteUntil);
}

/** The parent of the living token was presented within its grace and answered. */
export function repeat(session: ModelSession, issued: Issued, now: number): void {
  session.accessTokens.push(accessToken(issued, now));
}

function accessToken({ token }: Issued, now: number): AccessToken {
  return { text: token, expiresAt: Math.floor(now / SECOND) * SECOND + ACCESS_MS };
}

export function end(session: ModelSession, at: number, on?: number): void {
  session.ended ??= on === undefined ? { at } : { at, on };
}

type Refusal = 'token_expired' | 'token_revoked';

/** What may come of a refresh token of that age: 0 is the living one, 1 its parent. */
export function refreshOutcomes(
  session: ModelSession,
  age: number,
  now: number,
): readonly ('rotated' | 'repeated' | Refusal)[] {
  // A day after its limit a session may have been removed, and then nobody knows how it ended.
  if (now >= session.absoluteUntil + DAY) return ['token_expired', 'token_revoked'];
  if (session.ended) return ['token_revoked'];
  if (session.idleUntil <= now) return ['token_expired'];
  if (age === 0) return ['rotated'];
  return age === 1 && now - session.rotatedAt <= GRACE_MS ? ['repeated'] : ['token_revoked'];
}

/** What an instance may answer to an access token: one thing, but for the second until all know of an end. */
export function accessOutcomes(
  session: ModelSession,
  { expiresAt }: AccessToken,
  now: number,
  instance: number,
): readonly ('accepted' | Refusal)[] {
  if (expiresAt <= now) return ['token_expired'];
  if (session.ended?.on === instance) return ['token_revoked'];
  const endedAt = Math.min(session.ended?.at ?? Infinity, session.absoluteUntil);
  if (now < endedAt) return ['accepted'];
  return now - endedAt >= SOON_MS ? ['token_revoked'] : ['accepted', 'token_revoked'];
}

import { type Failure, tokenExpired, tokenInvalid, tokenRevoked } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { addressOf } from '../domain/source.ts';
import { recordEvent } from '../services/audit/record.ts';
import { statementWrite, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { issueTokens } from './begin.ts';
import type { LoginResult } from './contract.ts';
import { endSessions } from './end.ts';
import { IDLE_MS } from './lifetimes.ts';
import type { SessionParts } from './parts.ts';
import { type RefreshToken, sealSuccessor, unsealSuccessor } from './refresh-token.ts';
import { isAccessToken } from './token-shape.ts';

/**
 * How long the immediate parent still leads to its successor: a lost reply, two tabs (RFC 9700, 4.14). A successor in a
 * cookie lasts at least as long.
 */
const GRACE_MS = 10_000;

const ACCESS_TOKEN_SENT = 'This is an access token; send the refresh token, which came with it.';

interface PresentedToken {
  readonly text: string;
  readonly isCookie: boolean;
}

interface Rotation {
  readonly sessionId: string;
  readonly presentedHash: string;
  readonly successorHash: string;
  /** The successor, sealed under the token that was presented. */
  readonly successorSealed: string;
  readonly now: number;
  /** Where the request came from. */
  readonly address: string;
  /** Until then the successor may wait to be used. */
  readonly idleUntil: number;
  /** A successor that was made later is kept. */
  readonly madeBefore: number;
}

interface Succeeded {
  readonly expiresAt: number;
  readonly user: { readonly id: number; readonly username: string };
}

const replaceToken = statement((db, input: Rotation) =>
  db
    .updateTable('sessions')
    .set((eb) => ({
      token_hash: input.successorHash,
      successor_sealed: input.successorSealed,
      rotated_at: input.now,
      address: input.address,
      idle_expires_at: eb
        .case()
        .when('absolute_expires_at', '<', input.idleUntil)
        .then(eb.ref('absolute_expires_at'))
        .else(input.idleUntil)
        .end(),
    }))
    .where('id', '=', input.sessionId)
    .where('token_hash', '=', input.presentedHash)
    .where('ended_at', 'is', null)
    .where('idle_expires_at', '>', input.now)
    .where((eb) => eb.or([eb('successor_sealed', 'is', null), eb('rotated_at', '<', input.madeBefore)]))
    .returning((eb) => [
      'user_id',
      'idle_expires_at',
      eb
        .selectFrom('users')
        .select('username')
        .whereRef('users.id', '=', 'sessions.user_id')
        .$asScalar()
        .$notNull()
        .as('username'),
    ]),
);

/**
 * Replaces the session's refresh token by its successor, in one conditional statement: of several
 * requests with one token, one rotates. Null for the others; `answerOtherToken` says what they get.
 */
export const rotateRefreshToken = statementWrite(
  'sessions.rotate_refresh_token',
  replaceToken,
  ([rotated]): Succeeded | null =>
    rotated
      ? { expiresAt: rotated.idle_expires_at, user: { id: rotated.user_id, username: rotated.username } }
      : null,
);

interface OtherToken {
  readonly sessionId: string;
  readonly presentedHash: string;
  /** What the successor of the presented token would be sealed under. */
  readonly successorKey: Uint8Array;
  readonly now: number;
  readonly origin: Origin | null;
}

/**
 * Null for the successor: the presented token is kept. `unknown` is a token that may be newer than the backup that was
 * restored.
 */
type Answer = (Succeeded & { readonly successor: string | null }) | 'expired' | 'revoked' | 'unknown';

/**
 * What comes of a token that was not replaced: of the living one in a cookie, and of any older one. Only the immediate parent opens the sealed successor, and leads
 * to it while the grace lasts. Anything else is a stolen or replayed token and ends the session, unless it may be newer than
 * a restored backup.
 */
export const answerOtherToken = writeOperation(
  'sessions.answer_other_token',
  async (db, token: OtherToken, engine): Promise<Answer> => {
    const { sessionId, presentedHash, successorKey, now, origin } = token;
    const session = await db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select([
        'users.id as userId',
        'username',
        'token_hash',
        'successor_sealed',
        'rotated_at',
        'idle_expires_at',
        'ended_at',
      ])
      .where('sessions.id', '=', sessionId)
      .executeTakeFirst();
    if (!session || session.ended_at !== null) return 'revoked';
    const { userId, username, successor_sealed: sealed, rotated_at, idle_expires_at: expiresAt } = session;
    if (expiresAt <= now) return 'expired';
    const user = { id: userId, username };
    if (session.token_hash === presentedHash) return { successor: null, expiresAt, user };
    if (sealed !== null && now - rotated_at <= GRACE_MS) {
      const successor = unsealSuccessor(successorKey, sessionId, sealed);
      if (successor !== undefined) return { successor, expiresAt, user };
    }
    if (rotated_at < (await restoredAt(db))) return 'unknown';
    // Of several requests with such a token, the first ends the session and is recorded.
    const [ended] = await endSessions(db, { sessionId }, { now, because: 'reuse' }, engine);
    if (ended)
      await recordEvent(db, { event: 'token_reused', at: now, origin, accountId: userId, sessionId });
    return 'revoked';
  },
);

/**
 * When this database was restored from a backup; 0 if it was not. Until its first use since then, a session may have
 * owners with newer tokens than the backup has.
 */
async function restoredAt(db: Db): Promise<number> {
  const row = await db.selectFrom('database_id').select('restored_at').executeTakeFirst();
  return row?.restored_at ?? 0;
}

/**
 * Refreshes by the token itself, which one in the header always replaces. One in a cookie is kept while it is younger
 * than the grace: the cookie is shared by all tabs, and an older token of a slower tab would no longer be the parent. Fails with `token_invalid`, `token_expired` or `token_revoked`; instead of
 * these with `too_many_requests` for a source that sends too many such tokens.
 */
export async function refresh(
  parts: SessionParts,
  { text, isCookie }: PresentedToken,
  origin: Origin,
): Promise<LoginResult> {
  const { store, refreshTokens, endedSessions, limits } = parts;
  const now = parts.clock();
  const refuse = (why: Failure): never => {
    limits.spend('refusedRefreshes', origin.source);
    throw why;
  };
  const token = refreshTokens.parse(text);
  if (!token) return refuse(tokenInvalid(isAccessToken(text) ? ACCESS_TOKEN_SENT : undefined));
  const { sessionId } = token;
  if (endedSessions.has(sessionId)) return refuse(tokenRevoked());
  const successor = refreshTokens.successorOf(token);
  const successorKey = refreshTokens.successorKey(token);
  const rotated = await store.write(rotateRefreshToken, {
    sessionId,
    presentedHash: token.hash,
    successorHash: successor.hash,
    successorSealed: sealSuccessor(successorKey, successor),
    now,
    address: addressOf(origin.address),
    idleUntil: now + IDLE_MS,
    madeBefore: isCookie ? now - GRACE_MS : Number.MAX_SAFE_INTEGER,
  });
  if (rotated) return answer(parts, successor, rotated, now);

  const presented = { sessionId, presentedHash: token.hash, successorKey };
  const other = await store.write(answerOtherToken, { ...presented, now, origin });
  if (typeof other === 'object') {
    const living = other.successor === null ? token : refreshTokens.parse(other.successor);
    if (living) return answer(parts, living, other, now);
  }
  if (other === 'expired') return refuse(tokenExpired());
  if (other !== 'unknown') endedSessions.set(sessionId, true);
  return refuse(tokenRevoked());
}

function answer(
  parts: SessionParts,
  successor: RefreshToken,
  { expiresAt, user }: Succeeded,
  now: number,
): Promise<LoginResult> {
  return issueTokens(parts, successor, Math.floor((expiresAt - now) / 1000), user);
}

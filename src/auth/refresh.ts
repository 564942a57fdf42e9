import { endSessions } from '../accounts/end-sessions.ts';
import { type Failure, tokenExpired, tokenInvalid, tokenRevoked } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { type Engine, statementWrite, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { IDLE_MS } from './lifetimes.ts';
import type { AuthParts } from './parts.ts';
import { isAccessToken } from './token-shape.ts';
import { issueTokens } from './tokens.ts';

/** How long the immediate parent still leads to its successor: a lost reply, two tabs (RFC 9700, 4.14). */
const GRACE_MS = 10_000;

const ACCESS_TOKEN_SENT = 'This is an access token; send the refresh token, which came with it.';

interface Rotation {
  readonly sessionId: string;
  readonly presentedHash: string;
  readonly successorHash: string;
  readonly now: number;
  /** Until then the successor may wait to be used. */
  readonly idleUntil: number;
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
      rotated_at: input.now,
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
  'auth.rotate_refresh_token',
  replaceToken,
  ([rotated]): Succeeded | null =>
    rotated
      ? { expiresAt: rotated.idle_expires_at, user: { id: rotated.user_id, username: rotated.username } }
      : null,
);

/**
 * What comes of a token that is not the living one. The immediate parent leads to the same successor
 * while the grace lasts. Anything older is a stolen or replayed token and ends the session.
 */
export const answerOtherToken = writeOperation('auth.answer_other_token', answerOther);

async function answerOther(
  db: Db,
  input: Rotation,
  engine: Engine,
): Promise<Succeeded | 'expired' | 'revoked'> {
  const session = await db
    .selectFrom('sessions')
    .select(['user_id', 'token_hash', 'rotated_at', 'idle_expires_at', 'ended_at'])
    .where('id', '=', input.sessionId)
    .executeTakeFirst();
  if (!session || session.ended_at !== null) return 'revoked';
  if (session.idle_expires_at <= input.now) return 'expired';
  if (session.token_hash === input.successorHash && input.now - session.rotated_at <= GRACE_MS) {
    return { expiresAt: session.idle_expires_at, user: await userOf(db, session.user_id) };
  }
  await endSessions(db, { sessionId: input.sessionId }, { now: input.now, because: 'reuse' }, engine);
  return 'revoked';
}

function userOf(db: Db, id: number) {
  return db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirstOrThrow();
}

/**
 * Refreshes by the token itself. Fails with `token_invalid`, `token_expired` or `token_revoked`; instead of
 * these with `too_many_requests` for a source that sends too many such tokens.
 */
export async function refresh(parts: AuthParts, presented: string, origin: Origin) {
  const now = parts.clock();
  const refuse = (why: Failure) => parts.refusals.refuse(why, origin, now);
  const token = parts.refreshTokens.parse(presented);
  if (!token) return refuse(tokenInvalid(isAccessToken(presented) ? ACCESS_TOKEN_SENT : undefined));
  if (parts.refusals.hasEnded(token.sessionId)) return refuse(tokenRevoked());
  const successor = parts.refreshTokens.successorOf(token);
  const rotation = {
    sessionId: token.sessionId,
    presentedHash: token.hash,
    successorHash: successor.hash,
    now,
    idleUntil: now + IDLE_MS,
  };
  const result =
    (await parts.store.write(rotateRefreshToken, rotation)) ??
    (await parts.store.write(answerOtherToken, rotation));
  if (typeof result === 'object') {
    const seconds = Math.floor((result.expiresAt - now) / 1000);
    return issueTokens(parts, successor, seconds, result.user);
  }
  parts.authenticator.forget({ key: token.sessionId });
  if (result === 'expired') return refuse(tokenExpired());
  parts.refusals.remember(token.sessionId);
  return refuse(tokenRevoked());
}

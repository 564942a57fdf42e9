import { type Engine, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { tokenExpired, tokenInvalid, tokenRevoked } from './access-token.ts';
import type { AuthParts } from './parts.ts';
import { IDLE_MS } from './session.ts';
import { issueTokens } from './tokens.ts';

/** How long the immediate parent still leads to its successor: a lost reply, two tabs (RFC 9700, 4.14). */
const GRACE_MS = 10_000;

interface Rotation {
  readonly sessionId: string;
  readonly presentedHash: string;
  readonly successorHash: string;
  readonly now: number;
}

type Rotated =
  | { outcome: 'rotated' | 'repeated'; expiresAt: number; user: { id: number; username: string } }
  | { outcome: 'expired' | 'revoked' | 'reused' };

const replaceToken = statement((db, input: Rotation & { idleUntil: number }) =>
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
 * requests with one token, one rotates. The others hold the immediate parent and get the same
 * successor while the grace lasts. Anything older is a stolen or replayed token and ends the session.
 */
export const rotateRefreshToken = writeOperation(
  'auth.rotate_refresh_token',
  async (db, input: Rotation, engine): Promise<Rotated> => {
    const [rotated] = await replaceToken(db, { ...input, idleUntil: input.now + IDLE_MS });
    if (!rotated) return explainRefusal(db, input, engine);
    return {
      outcome: 'rotated',
      expiresAt: rotated.idle_expires_at,
      user: { id: rotated.user_id, username: rotated.username },
    };
  },
);

async function explainRefusal(db: Db, input: Rotation, engine: Engine): Promise<Rotated> {
  const session = await db
    .selectFrom('sessions')
    .select(['user_id', 'token_hash', 'rotated_at', 'idle_expires_at', 'ended_at'])
    .where('id', '=', input.sessionId)
    .executeTakeFirst();
  if (!session || session.ended_at !== null) return { outcome: 'revoked' };
  if (session.idle_expires_at <= input.now) return { outcome: 'expired' };
  if (session.token_hash === input.successorHash && input.now - session.rotated_at <= GRACE_MS) {
    const user = await userOf(db, session.user_id);
    return { outcome: 'repeated', expiresAt: session.idle_expires_at, user };
  }
  await db
    .updateTable('sessions')
    .set({ ended_at: input.now, ended_because: 'reuse' })
    .where('id', '=', input.sessionId)
    .execute();
  await engine.announce(db, { session: input.sessionId });
  return { outcome: 'reused' };
}

function userOf(db: Db, id: number) {
  return db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirstOrThrow();
}

/** Refreshes by the token itself. Fails with `token_invalid`, `token_expired` or `token_revoked`. */
export async function refresh(parts: AuthParts, presented: string) {
  const token = parts.refreshTokens.parse(presented);
  if (!token) throw tokenInvalid();
  const successor = parts.refreshTokens.successorOf(token);
  const now = parts.clock();
  const rotated = await parts.store.write(rotateRefreshToken, {
    sessionId: token.sessionId,
    presentedHash: token.hash,
    successorHash: successor.hash,
    now,
  });
  if ('user' in rotated) {
    const seconds = Math.floor((rotated.expiresAt - now) / 1000);
    return issueTokens(parts, successor, seconds, rotated.user);
  }
  parts.authenticator.forget({ session: token.sessionId });
  throw rotated.outcome === 'expired' ? tokenExpired() : tokenRevoked();
}

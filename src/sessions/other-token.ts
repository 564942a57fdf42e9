import { accountAsker } from '../domain/admission/fair-queue.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { writeOperation } from '../store/operation.ts';
import { endSessions } from './end.ts';
import { GRACE_MS } from './lifetimes.ts';
import { unsealSuccessor } from './refresh-token.ts';
import { restoredAt } from './restored-at.ts';
import type { OfAccount, Succeeded } from './rotate.ts';

interface OtherToken extends OfAccount {
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
 * What comes of a token that was not replaced: of the living one in a cookie, and of any older one. Only the immediate
 * parent opens the sealed successor, and leads to it while the grace lasts. Anything else is a stolen or replayed token and
 * ends the session, unless it may be newer than a restored backup.
 */
export const answerOtherToken = writeOperation(
  'sessions.answer_other_token',
  async (db, token: OtherToken, engine): Promise<Answer> => {
    const { sessionId, presentedHash, successorKey, now, origin } = token;
    await engine.lock(db, `account ${token.userId}`);
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
    // In both directions: a clock that was ahead must not make the grace longer.
    if (sealed !== null && Math.abs(now - rotated_at) <= GRACE_MS) {
      const successor = unsealSuccessor(successorKey, sessionId, sealed);
      if (successor !== undefined) return { successor, expiresAt, user };
    }
    // Until its first use since a restore, a session may have an owner with newer tokens than the backup has.
    if (rotated_at < (await restoredAt(db))) return 'unknown';
    // Of several requests with such a token, the first ends the session and is recorded.
    const [ended] = await endSessions(db, { sessionId }, { now, because: 'reuse' }, engine);
    if (ended)
      await recordEvent(db, { event: 'token_reused', at: now, origin, accountId: userId, sessionId });
    return 'revoked';
  },
  { askerOf: accountAsker, turns: 'exclusive' },
);

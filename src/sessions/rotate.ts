import { accountAsker } from '../domain/admission/fair-queue.ts';
import { statementWrite, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

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

/** Whose session it is: its writes wait in turns of its account, so that others have connections. */
export interface OfAccount {
  readonly userId: number;
}

/** The session of a token that may go on. */
export interface Succeeded {
  readonly expiresAt: number;
  readonly user: { readonly id: number; readonly username: string };
}

/** The session where no other write holds it. */
function freeSession(db: Db, id: string) {
  const session = db.selectFrom('sessions as free').select('free.id').where('free.id', '=', id);
  return session.forNoKeyUpdate().skipLocked();
}

const replaceToken = (waits: boolean) =>
  statement((db, input: Rotation) =>
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
      .$if(!waits, (query) => query.where('id', 'in', freeSession(db, input.sessionId)))
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

const replaceWhenFree = replaceToken(true);
const replaceIfFree = replaceToken(false);

function succeeded([rotated]: Awaited<ReturnType<typeof replaceWhenFree>>): Succeeded | null {
  if (!rotated) return null;
  return { expiresAt: rotated.idle_expires_at, user: { id: rotated.user_id, username: rotated.username } };
}

/**
 * Replaces the session's refresh token by its successor, in one conditional statement: of several requests with one token,
 * one rotates. Null for the others, and where another write holds the session: on PostgreSQL the statement waits for
 * nobody, because statements of others are on its connection.
 */
export const rotateRefreshToken = statementWrite(
  'sessions.rotate_refresh_token',
  { sqlite: replaceWhenFree, postgres: replaceIfFree },
  succeeded,
);

/**
 * The same, but it waits for the session, in a turn of the account. Null where the token is not the newest one;
 * `answerOtherToken` (other-token.ts) says what its sender gets.
 */
export const rotateWhenFree = writeOperation(
  'sessions.rotate_when_free',
  async (db, { userId, ...rotation }: Rotation & OfAccount, engine): Promise<Succeeded | null> => {
    await engine.lock(db, `account ${userId}`);
    return succeeded(await replaceWhenFree(db, rotation));
  },
  { askerOf: accountAsker, turns: 'exclusive' },
);

import { Failure } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordFailedSignIn } from '../../services/audit/failed-sign-in.ts';
import { readStanding } from '../../services/throttle/standing.ts';
import { readOperation, writeOperation } from '../../store/operation.ts';
import { type Guess, takeGuess } from './guesses.ts';

/** Codes that one challenge takes. */
const TRIES = 5;

/** Is there such a challenge? So that an invented one costs no write. */
export const findChallenge = readOperation(
  'auth.find_challenge',
  async (db, tokenHash: string): Promise<boolean> => {
    const challenge = await db
      .selectFrom('second_factor_challenges')
      .select('user_id')
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
    return challenge !== undefined;
  },
);

interface Presented {
  readonly tokenHash: string;
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Whose sign-in is tried, and what it takes to complete it. */
interface Try {
  readonly userId: number;
  readonly newDevice: string | undefined;
  readonly guess: Guess;
}

/**
 * Counts a code before it is looked at: for its challenge, and for its account. Fails with `challenge_invalid` or
 * `too_many_requests`.
 */
export const tryChallenge = writeOperation(
  'auth.try_challenge',
  async (db, { tokenHash, source, now }: Presented): Promise<Try> => {
    const challenge = await db
      .updateTable('second_factor_challenges')
      .set((eb) => ({ tries: eb('tries', '+', 1) }))
      .where('token_hash', '=', tokenHash)
      .where('tries', '<', TRIES)
      .where('expires_at', '>', now)
      .returning('user_id')
      .executeTakeFirst();
    if (!challenge) throw challengeInvalid();
    const userId = challenge.user_id;
    const standing = await readStanding(db, { userId, login: '', source, now });
    return { userId, newDevice: standing.newDevice, guess: await takeGuess(db, standing, now) };
  },
);

interface Refused {
  readonly userId: number;
  readonly isLastFree: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/** Records a sign-in whose second factor was wrong, within the bounds of failed sign-ins. */
export const refuseSecondFactor = writeOperation(
  'auth.refuse_second_factor',
  async (db, { userId, isLastFree, now, origin }: Refused, engine): Promise<void> => {
    const failure = { accountId: userId, at: now, origin };
    await recordFailedSignIn.run(db, { ...failure, event: 'second_factor_failed' }, engine);
    if (isLastFree) await recordFailedSignIn.run(db, { ...failure, event: 'sign_in_locked' }, engine);
  },
);

export function challengeInvalid(): Failure {
  const message = 'This sign-in took too long, was tried too often or is complete; log in again.';
  return new Failure({ error: 'challenge_invalid', message });
}

import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import type { CallerKey } from '../../accounts/living-session.ts';
import { type Failure, invalid, notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { settleFactors } from '../factors.ts';
import type { AuthParts } from '../parts.ts';
import { tellOwner } from '../tell-owner.ts';
import { type Guess, giveGuessBack, takeFirstGuess } from './guesses.ts';
import { hashOfRecoveryCode, newRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.ts';
import { placeOfTotpSecret, stepOf, totpCodeIn } from './totp-code.ts';
import { totpSecretOf } from './totp-secrets.ts';

interface Try {
  readonly id: string;
  readonly secretSealed: string;
  readonly guess: Guess;
}

/** Counts a code before it is looked at, and finds the secret that was begun. Fails with `not_found` or `too_many_requests`. */
export const tryTotp = ownAccountWrite(
  'auth.try_totp',
  async (db, { now }: CallerInput, { userId, sessionId }): Promise<Try> => {
    const begun = await totpSecretOf(db, userId, 'begun');
    if (!begun) throw notFound('authenticator app that was begun');
    const guess = await takeFirstGuess(db, sessionId, now);
    return { id: begun.id, secretSealed: begun.secret_sealed, guess };
  },
);

interface Confirmation extends CallerInput {
  readonly id: string;
  /** Of the code that was sent, which is used up by that. */
  readonly step: number;
  readonly codeHashes: readonly string[];
  readonly guess: Guess;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Turns the secret on, in the place of the one that was, and gives the account new recovery codes, and tells the owner.
 * False where the secret is no longer the one that was begun.
 */
export const confirmTotp = ownAccountWrite(
  'auth.confirm_totp',
  async (db, input: Confirmation, { userId, sessionId }, engine): Promise<boolean> => {
    const { id, step, codeHashes, guess, sendsMail, now, origin } = input;
    await db
      .deleteFrom('totp_secrets')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .where('id', '!=', id)
      .execute();
    const confirmed = await db
      .updateTable('totp_secrets')
      .set({ confirmed_at: now, last_step: step })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!confirmed) return false;
    await replaceRecoveryCodes(db, userId, codeHashes);
    await giveGuessBack(db, guess);
    await settleFactors(db, userId, { mustHave: false });
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'totp_enabled', at: now, origin, ...who });
    await recordEvent(db, { event: 'recovery_codes_created', at: now, origin, ...who });
    await engine.publish(db, { key: sessionId });
    await tellOwner(db, { userId, template: 'totp_enabled', sendsMail, now, origin }, engine);
    return true;
  },
);

/** Turns on the secret that the caller has begun; returns recovery codes. Fails with `validation_failed` for a wrong code. */
export async function confirmTotpOf(
  parts: AuthParts,
  caller: CallerKey,
  code: string,
  origin: Origin,
): Promise<string[]> {
  const { store, sealing, clock, sendsMail } = parts;
  const { id, secretSealed, guess } = await store.write(tryTotp, { caller, now: clock() });
  const now = clock();
  const digits = totpCodeIn(code);
  const secret = sealing.unseal(placeOfTotpSecret(id), secretSealed);
  const step = digits === undefined ? undefined : await stepOf(secret, digits, now);
  if (step === undefined) throw wrongCode();
  const codes = newRecoveryCodes();
  const codeHashes = codes.map((each) => hashOfRecoveryCode(caller.userId, each));
  const confirmation = { id, step, codeHashes, guess, sendsMail, caller, now, origin };
  if (!(await store.write(confirmTotp, confirmation))) throw wrongCode();
  parts.authenticator.forget({ key: caller.sessionId });
  return codes;
}

function wrongCode(): Failure {
  const message = 'The code is wrong; send the one that the app shows now.';
  return invalid([{ field: 'code', rule: 'current', message }]);
}

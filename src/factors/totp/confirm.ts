import { type Failure, invalid, notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { giveBack, spend, type Taken } from '../../services/limits/shared.ts';
import { type CallerInput, ownAccountWrite } from '../../sessions/caller-write.ts';
import type { CallerKey } from '../../sessions/living-session.ts';
import { settleFactors } from '../factors.ts';
import { noteOwnChange, type OwnChange } from '../own-change.ts';
import type { FactorParts } from '../parts.ts';
import { newRecoveryCodes, replaceRecoveryCodes } from '../recovery-codes/codes.ts';
import { placeOfTotpSecret, stepOf, totpCodeIn, totpSecretOf } from './code.ts';

interface Try {
  readonly id: string;
  readonly secretSealed: string;
  readonly guess: Taken;
}

/**
 * Counts a code before it is checked, and finds the secret that was begun. Fails with `not_found` or
 * `too_many_requests`.
 */
export const tryTotp = ownAccountWrite(
  'factors.try_totp',
  async (db, { now }: CallerInput, { userId, sessionId }): Promise<Try> => {
    const begun = await totpSecretOf(db, userId, 'begun');
    if (!begun) throw notFound('authenticator app that was begun');
    const guess = await spend(db, 'first_code', sessionId, now);
    return { id: begun.id, secretSealed: begun.secret_sealed, guess };
  },
);

interface Confirmation extends OwnChange {
  readonly id: string;
  /** The time step of the code that was sent. No code of this step or an earlier one is good again. */
  readonly step: number;
  readonly codeHashes: readonly string[];
  readonly guess: Taken;
}

/**
 * Turns the secret on, which replaces the one that was on, gives the account new recovery codes, and tells the owner.
 * Fails where the secret is no longer the one that was begun, so that the one that was on stays.
 */
export const confirmTotp = ownAccountWrite(
  'factors.confirm_totp',
  async (db, input: Confirmation, caller, engine): Promise<void> => {
    const { userId, sessionId } = caller;
    const { id, step, codeHashes, guess, now, origin } = input;
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
    if (!confirmed) throw wrongCode();
    await replaceRecoveryCodes(db, userId, codeHashes);
    await giveBack(db, guess);
    await settleFactors(db, userId, { mustHave: false, origin }, engine);
    await noteOwnChange(db, 'totp_enabled', input, caller, engine);
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'recovery_codes_created', at: now, origin, ...who });
  },
);

/**
 * Turns on the secret that the caller began, and returns recovery codes. Fails with `validation_failed` for a wrong
 * code.
 */
export async function confirmTotpOf(
  parts: FactorParts,
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
  const { codes, codeHashes } = newRecoveryCodes(caller.userId);
  const confirmation = { id, step, codeHashes, guess, sendsMail, caller, now, origin };
  await store.write(confirmTotp, confirmation);
  return codes;
}

function wrongCode(): Failure {
  const message = 'The code is wrong; send the one that the app shows now.';
  return invalid([{ field: 'code', rule: 'current', message }]);
}

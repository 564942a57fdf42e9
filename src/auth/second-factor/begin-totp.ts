import { randomBytes } from 'node:crypto';
import { type CallerInput, callerWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { keyChanged } from '../../services/sealing/sealing.ts';
import { isSealedUnder } from '../../services/sealing/secrets.ts';
import { spendBudget } from '../../services/throttle/account-budget.ts';
import type { AuthParts } from '../parts.ts';
import { FACTOR_CHANGES } from './guesses.ts';
import { newTotp, placeOfTotpSecret } from './totp-code.ts';

interface NewTotp extends CallerInput {
  readonly id: string;
  readonly secretSealed: string;
  /** `Sealing.check` of the key that it is sealed under. */
  readonly sealedUnder: string;
}

/**
 * Keeps a secret that is not on yet, in the place of one that was begun before. Fails with `recent_sign_in_required` and
 * `too_many_requests`.
 */
export const beginTotp = callerWrite(
  'auth.begin_totp',
  async (db, { id, secretSealed, sealedUnder, now }: NewTotp, { userId, sessionId }): Promise<void> => {
    await requireRecentSignIn(db, { sessionId, now });
    await spendBudget(db, FACTOR_CHANGES, userId, now);
    if (!(await isSealedUnder(db, sealedUnder))) throw keyChanged();
    const begun = { id, secret_sealed: secretSealed, created_at: now };
    await db
      .insertInto('totp_secrets')
      .values({ ...begun, user_id: userId, last_step: 0 })
      .onConflict((conflict) =>
        conflict.column('user_id').where('confirmed_at', 'is', null).doUpdateSet(begun),
      )
      .execute();
  },
);

/** A new secret for the caller's app, which confirms it by a first code. */
export async function beginTotpOf(
  { store, sealing, clock, issuer }: AuthParts,
  caller: CallerInput['caller'] & { readonly username: string },
): Promise<{ readonly secret: string; readonly uri: string }> {
  const { userId, sessionId, username } = caller;
  const totp = await newTotp({ issuer, username });
  const id = randomBytes(16).toString('base64url');
  const secretSealed = sealing.seal(placeOfTotpSecret(id), totp.secret);
  const input = { id, secretSealed, sealedUnder: sealing.check, now: clock() };
  await store.write(beginTotp, { ...input, caller: { userId, sessionId } });
  return totp;
}

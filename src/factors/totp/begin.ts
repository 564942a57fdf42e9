import { spend } from '../../services/limits/shared.ts';
import { requireSealingKey, type SealedSecret, sealSecret } from '../../services/sealing/sealed-secret.ts';
import { type CallerInput, callerWrite } from '../../sessions/caller-write.ts';
import { requireRecentSignIn } from '../../sessions/recent-sign-in.ts';
import type { FactorParts } from '../parts.ts';
import { newTotp, placeOfTotpSecret } from './code.ts';

interface NewTotp extends CallerInput {
  readonly secret: SealedSecret;
}

/**
 * Stores a secret that is not on yet, and replaces one that was begun before. Fails with `recent_sign_in_required` and
 * `too_many_requests`.
 */
export const beginTotp = callerWrite(
  'factors.begin_totp',
  async (db, { secret, now }: NewTotp, { userId, sessionId }): Promise<void> => {
    await requireRecentSignIn(db, { sessionId, now });
    await spend(db, 'factor_change', userId, now);
    await requireSealingKey(db, secret);
    const begun = { id: secret.id, secret_sealed: secret.sealed, created_at: now };
    await db
      .insertInto('totp_secrets')
      .values({ ...begun, user_id: userId, last_step: 0 })
      .onConflict((conflict) =>
        conflict.column('user_id').where('confirmed_at', 'is', null).doUpdateSet(begun),
      )
      .execute();
  },
);

/** Makes a secret for the caller's authenticator app. A first code turns it on (`confirm.ts`). */
export async function beginTotpOf(
  { store, sealing, clock, serviceName }: FactorParts,
  caller: CallerInput['caller'] & { readonly username: string },
): Promise<{ readonly secret: string; readonly uri: string }> {
  const { userId, sessionId, username } = caller;
  const totp = await newTotp({ issuer: serviceName, username });
  const secret = sealSecret(sealing, placeOfTotpSecret, totp.secret);
  await store.write(beginTotp, { secret, now: clock(), caller: { userId, sessionId } });
  return totp;
}

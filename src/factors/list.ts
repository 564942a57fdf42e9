import { readOperation } from '../store/operation.ts';
import { countRecoveryCodes } from './recovery-codes/codes.ts';
import { totpSecretOf } from './totp/code.ts';

/** What an account has. `totpSince` is in milliseconds since 1970, and null where no app is on. */
export const listSecondFactors = readOperation('factors.list_second_factors', async (db, userId: number) => {
  const totp = await totpSecretOf(db, userId, 'on');
  const passkeys = await db
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return {
    totpSince: totp?.confirmed_at ?? null,
    passkeys: Number(passkeys.total),
    recoveryCodes: await countRecoveryCodes(db, userId),
  };
});

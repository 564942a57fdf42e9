import { readOperation } from '../../store/operation.ts';
import { countRecoveryCodes } from './recovery-codes.ts';

/** What an account has. `totpSince` is in milliseconds since 1970, and null where no app is on. */
export interface SecondFactorsOfAccount {
  readonly totpSince: number | null;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

export const listSecondFactors = readOperation(
  'auth.list_second_factors',
  async (db, userId: number): Promise<SecondFactorsOfAccount> => {
    const totp = await db
      .selectFrom('totp_secrets')
      .select('confirmed_at')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .executeTakeFirst();
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
  },
);

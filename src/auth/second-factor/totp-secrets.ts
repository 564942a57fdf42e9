import { readOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { Factor } from '../factor.ts';

/** The secret that makes one-time passwords of a kind: the one that is on, or the one that was begun. */
export function totpSecretOf(db: Db, userId: number, which: 'on' | 'begun') {
  return db
    .selectFrom('totp_secrets')
    .select(['id', 'secret_sealed'])
    .where('user_id', '=', userId)
    .where('confirmed_at', which === 'on' ? 'is not' : 'is', null)
    .executeTakeFirst();
}

export const findTotpSecret = readOperation(
  'auth.find_totp_secret',
  async (db, userId: number) => (await totpSecretOf(db, userId, 'on')) ?? null,
);

/** Authenticator apps. A time step is used once, and none after a later one (RFC 6238, 5.2). */
export const totp: Factor<'totp'> = {
  standsAlone: true,
  isSetUp: async (db, userId) => (await totpSecretOf(db, userId, 'on')) !== undefined,
  use: async (db, userId, { secretId, step }) => {
    const used = await db
      .updateTable('totp_secrets')
      .set({ last_step: step })
      .where('id', '=', secretId)
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .where('last_step', '<', step)
      .returning('id')
      .executeTakeFirst();
    return used !== undefined;
  },
  remove: async (db, userId, since) => {
    await db
      .deleteFrom('totp_secrets')
      .where('user_id', '=', userId)
      .where((eb) => eb(eb.fn.coalesce('confirmed_at', 'created_at'), '>=', since))
      .execute();
  },
};

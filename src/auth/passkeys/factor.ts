import type { Factor } from '../factor.ts';
import { usePasskey } from './use.ts';

/** Passkeys as a second factor, after a password. */
export const passkeyFactor: Factor<'passkey'> = {
  standsAlone: true,
  isSetUp: async (db, userId) => {
    const one = db.selectFrom('passkeys').select('id').where('user_id', '=', userId).limit(1);
    return (await one.executeTakeFirst()) !== undefined;
  },
  use: async (db, userId, proof) => (await usePasskey(db, userId, proof)) === undefined,
  remove: async (db, userId, since) => {
    await db.deleteFrom('passkeys').where('user_id', '=', userId).where('created_at', '>=', since).execute();
  },
};

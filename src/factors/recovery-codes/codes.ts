import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../../store/tables.ts';
import type { Factor } from '../factor.ts';

/** Codes of an account. */
const COUNT = 10;
const LENGTH = 16;
/** Crockford's base 32: no letter of it looks like another or like a digit. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Codes of 80 random bits for an account, as people read them (`0a1b-2c3d-4e5f-6g7h`), and their hashes. */
export function newRecoveryCodes(userId: number) {
  const codes = Array.from({ length: COUNT }, () => {
    const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % LETTERS.length));
    return letters.join('').replace(/.{4}(?=.)/g, '$&-');
  });
  return { codes, codeHashes: codes.map((code) => hashOfRecoveryCode(userId, code)) };
}

/**
 * The hash that is stored of a code, in whatever spelling it was typed. A plain hash is enough, because nobody can try
 * 80 random bits. The account is part of the hash, so that nobody tries one code for all accounts at once.
 */
export function hashOfRecoveryCode(userId: number, typed: string): string {
  const code = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return hash('sha256', JSON.stringify(['recovery code', userId, code]), 'base64url');
}

/** Gives the account these codes instead of all that it had. */
export async function replaceRecoveryCodes(
  db: Db,
  userId: number,
  codeHashes: readonly string[],
): Promise<void> {
  await recoveryCodes.remove(db, userId, 0);
  const rows = codeHashes.map((code_hash) => ({ code_hash, user_id: userId }));
  await db.insertInto('recovery_codes').values(rows).execute();
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Codes on paper, for a user who lost the other factor. */
export const recoveryCodes: Factor<'recovery_code'> = {
  standsAlone: false,
  isSetUp: async (db, userId) => (await countRecoveryCodes(db, userId)) > 0,
  use: async (db, userId, { codeHash }) => {
    const used = await db
      .deleteFrom('recovery_codes')
      .where('code_hash', '=', codeHash)
      .where('user_id', '=', userId)
      .returning('code_hash')
      .executeTakeFirst();
    return used !== undefined;
  },
  remove: async (db, userId) => {
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  },
};

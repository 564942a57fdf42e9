import { randomBytes } from 'node:crypto';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';

const NAME = 'token_secret';
const BYTES = 32;

export const findSecret = readOperation('auth.find_secret', async (db, name: string) => {
  const row = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
});

/** Keeps the secret unless there is one by that name already; the first one stays. */
export const keepSecret = writeOperation(
  'auth.keep_secret',
  async (db, secret: { name: string; value: string }): Promise<void> => {
    await db
      .insertInto('secrets')
      .values(secret)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  },
);

/** The secret behind refresh tokens: the given one, or one that is made once and kept in the database. */
export async function loadTokenSecret(store: Store, given: string | undefined): Promise<Buffer> {
  if (given !== undefined) return Buffer.from(given, 'utf8');
  const kept = await store.read(findSecret, NAME);
  if (kept !== null) return Buffer.from(kept, 'base64url');
  await store.write(keepSecret, { name: NAME, value: randomBytes(BYTES).toString('base64url') });
  return loadTokenSecret(store, given);
}

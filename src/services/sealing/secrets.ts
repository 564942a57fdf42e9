import { readOperation, writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { Place } from './seal.ts';

/**
 * The row that says which key the database is sealed under: a fixed text, sealed under that key. The first
 * process to serve a database writes it, and sealing anew changes it.
 */
export const CHECK = 'sealing_check';

export interface KeptSecret {
  readonly name: string;
  /** Sealed at `placeOfSecret(name)`. */
  readonly value: string;
  /** `Sealing.check` of the key that it is sealed under. */
  readonly sealedUnder: string;
}

export function placeOfSecret(name: string): Place {
  return { table: 'secrets', row: name, column: 'value' };
}

export const findSecret = readOperation('sealing.find_secret', async (db, name: string) => {
  const row = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
});

/** Says under which key the database is sealed, unless that is said: of several processes one decides it. */
export const keepCheck = writeOperation('sealing.keep_check', (db, check: string) =>
  keepFirst(db, { name: CHECK, value: check }),
);

/** Keeps the secret unless there is one by that name: the first one stays. False where the key is another one now. */
export const keepSecret = writeOperation(
  'sealing.keep_secret',
  async (db, { name, value, sealedUnder }: KeptSecret): Promise<boolean> => {
    if (!(await isSealedUnder(db, sealedUnder))) return false;
    await keepFirst(db, { name, value });
    return true;
  },
);

/**
 * Whether the database is still sealed under the key with this check; true holds until the write ends. Every
 * write that stores a sealed text asks this, so that nothing is ever sealed under two keys.
 */
export async function isSealedUnder(db: Db, check: string): Promise<boolean> {
  const row = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', CHECK)
    .forShare()
    .executeTakeFirst();
  return row?.value === check;
}

async function keepFirst(db: Db, secret: { name: string; value: string }): Promise<void> {
  await db
    .insertInto('secrets')
    .values(secret)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

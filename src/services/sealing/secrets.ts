import { readOperation, writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { Place } from './seal.ts';

/**
 * The row that identifies the key of the database: a fixed text, sealed under that key. The first process that serves a
 * database writes it, and a reseal replaces it.
 */
export const CHECK = 'sealing_check';

export interface KeptSecret {
  readonly name: string;
  /** Sealed at `placeOfSecret(name)`. */
  readonly value: string;
  /** `Sealing.check` of the key under which it is sealed. */
  readonly sealedUnder: string;
}

export function placeOfSecret(name: string): Place {
  return { table: 'secrets', row: name, column: 'value' };
}

/** The sealed text of a secret. Null where it was never made. */
export async function secretIn(db: Db, name: string): Promise<string | null> {
  const row = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
}

export const findSecret = readOperation('sealing.find_secret', secretIn);

/** Stores the check, unless there is one. Only one of several processes does. */
export const keepCheck = writeOperation('sealing.keep_check', (db, check: string) =>
  keepFirst(db, { name: CHECK, value: check }),
);

/** Stores the secret, unless there is one of that name. False if the key was replaced. */
export const keepSecret = writeOperation(
  'sealing.keep_secret',
  async (db, { name, value, sealedUnder }: KeptSecret): Promise<boolean> => {
    if (!(await isSealedUnder(db, sealedUnder))) return false;
    await keepFirst(db, { name, value });
    return true;
  },
);

/**
 * True if the database is still sealed under the key with this check. It holds until the write ends. Every write that
 * stores a sealed text calls this, so that nothing is ever sealed under two keys.
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

import { hash } from 'node:crypto';
import type { LiveTable } from '../store/move-end.ts';
import type { Db } from '../store/tables.ts';
import { batchesOf, valuesOf } from './rows.ts';

/** The content of a table in two values, which are equal at both ends when every value of every row is equal. */
export interface Checksum {
  readonly rows: number;
  /** 64 hexadecimal digits. */
  readonly sum: string;
}

const MODULUS = 1n << 256n;

/**
 * The sum, modulo 2^256, of the SHA-256 of each row. A sum does not depend on the order of the rows, so a different
 * sort order of the engines changes nothing. `onRows` is called with the number of rows of each batch. Fails with
 * OperatorError where `valuesOf` does.
 */
export async function checksumOf(
  db: Db,
  table: LiveTable,
  onRows: (rows: number) => void,
): Promise<Checksum> {
  let sum = 0n;
  let count = 0;
  for await (const rows of batchesOf(db, table)) {
    for (const row of rows) {
      // Not `createHash`: a hash object for each of a million rows would fill the memory.
      const digest = hash('sha256', JSON.stringify(valuesOf(table, row)), 'hex');
      sum = (sum + BigInt(`0x${digest}`)) % MODULUS;
    }
    count += rows.length;
    onRows(rows.length);
  }
  return { rows: count, sum: sum.toString(16).padStart(64, '0') };
}

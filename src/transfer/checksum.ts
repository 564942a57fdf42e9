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
 * sort order of the engines changes nothing.
 */
export class RowSum {
  #sum = 0n;
  #rows = 0;

  /** Adds a row: its values as JSON, in the order of the columns. */
  add(values: string): void {
    // Not `createHash`: a hash object for each of a million rows would fill the memory.
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', values, 'hex')}`)) % MODULUS;
    this.#rows += 1;
  }

  get checksum(): Checksum {
    return { rows: this.#rows, sum: this.#sum.toString(16).padStart(64, '0') };
  }
}

/**
 * The checksum of a table. `onRows` is called with the number of rows of each batch. Fails with OperatorError where
 * `valuesOf` does.
 */
export async function checksumOf(
  db: Db,
  table: LiveTable,
  onRows: (rows: number) => void,
): Promise<Checksum> {
  const sum = new RowSum();
  for await (const rows of batchesOf(db, table)) {
    for (const row of rows) sum.add(JSON.stringify(valuesOf(table, row)));
    onRows(rows.length);
  }
  return sum.checksum;
}

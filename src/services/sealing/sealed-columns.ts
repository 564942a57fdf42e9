import { sql } from 'kysely';
import { typed } from '../../domain/installation.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import { readOperation, writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { recordEvent } from '../audit/record.ts';
import { isSealed, type Place, seal, unseal } from './seal.ts';
import { CHECK, isSealedUnder } from './secrets.ts';
import type { SealedColumn } from './tables.ts';

/** The sealed texts of the database: keys, secrets of the service, and what accounts have. */

/** Texts of one read. An account may have one, and there may be a million accounts. */
const PAGE = 1_000;

interface Stored {
  readonly column: SealedColumn;
  readonly place: Place;
  readonly text: string;
}

/** True if a text is not sealed, as a version before sealing left it. */
export const hasUnsealed = readOperation(
  'sealing.has_unsealed',
  async (db, columns: readonly SealedColumn[]): Promise<boolean> => {
    for await (const { text } of storedIn(db, columns)) if (!isSealed(text)) return true;
    return false;
  },
);

/** Seals the unsealed texts. False if the key was replaced. */
export const sealUnsealed = writeOperation(
  'sealing.seal_unsealed',
  async (
    db,
    input: { columns: readonly SealedColumn[]; key: Uint8Array; sealedUnder: string },
  ): Promise<boolean> => {
    if (!(await isSealedUnder(db, input.sealedUnder))) return false;
    for await (const stored of storedIn(db, input.columns))
      if (!isSealed(stored.text)) await replace(db, stored, seal(input.key, stored.place, stored.text));
    return true;
  },
);

/** Opens everything with one key and seals it under another, the check included. It is one write. */
export const resealAll = writeOperation(
  'sealing.reseal_all',
  async (
    db,
    input: {
      columns: readonly SealedColumn[];
      from: Uint8Array;
      to: Uint8Array;
      sealedUnder: string;
      now: number;
    },
  ): Promise<boolean> => {
    await db.selectFrom('secrets').select('name').where('name', '=', CHECK).forUpdate().execute();
    if (!(await isSealedUnder(db, input.sealedUnder))) return false;
    for await (const stored of storedIn(db, input.columns)) {
      const { place, text } = stored;
      const opened = isSealed(text) ? unseal(input.from, place, text) : text;
      if (opened === undefined) throw unreadable(place);
      await replace(db, stored, seal(input.to, place, opened));
    }
    await recordEvent(db, { event: 'sealing_key_changed', at: input.now, origin: null });
    return true;
  },
);

/** The text was moved, changed, or sealed under another key. */
export function unreadable({ table, row, column }: Place): OperatorError {
  return new OperatorError(
    `"${table}.${column}" of the row ${row} cannot be opened with the sealing key of this process; if "${typed('keys reseal')}" has run since it started, start it again with the new key, and if not, restore the row from a backup.`,
  );
}

async function* storedIn(db: Db, columns: readonly SealedColumn[]): AsyncGenerator<Stored> {
  for (const each of columns) {
    const { table, row, column } = each;
    for (let after = ''; ; ) {
      const { rows } = await sql<{ id: string; text: string }>`
        select ${sql.ref(row)} as id, ${sql.ref(column)} as text from ${sql.table(table)}
        where ${sql.ref(column)} is not null and ${sql.ref(row)} > ${after}
        order by ${sql.ref(row)} limit ${PAGE}`.execute(db);
      for (const { id, text } of rows) yield { column: each, place: { table, row: id, column }, text };
      const last = rows.at(-1);
      if (!last) break;
      after = last.id;
    }
  }
}

async function replace(db: Db, { column: { table, row, column }, place }: Stored, sealed: string) {
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
    where ${sql.ref(row)} = ${place.row}`.execute(db);
}

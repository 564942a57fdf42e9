import { sql } from 'kysely';
import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ContentRow } from './contract.ts';

/** Visible content beside the name of its author: the columns of a record. */
export function selectRecords(db: Db) {
  return selectWithoutText(db).select('content.content');
}

/** The columns of a visible record but for the one that can be large. */
export function selectWithoutText(db: Db) {
  return fromVisible(db).select([
    'content.id',
    'content.title',
    'content.category',
    'content.tags',
    'content.version',
    'content.author_id',
    'users.username as author_name',
    'content.created_at',
    'content.updated_at',
  ]);
}

/** Visible content with its authors. */
export function fromVisible(db: Db) {
  return db.selectFrom('visible_content as content').innerJoin('users', 'users.id', 'content.author_id');
}

const recordById = statement((db, input: { id: number }) =>
  selectRecords(db).where('content.id', '=', input.id),
);

/** One item by id. Fails with `not_found`. */
export const findContent = readOperation('content.find', async (db, id: number): Promise<ContentRow> => {
  const [row] = await recordById(db, { id });
  if (!row) throw notFound('content item');
  return row;
});

const sizeById = statement((db, input: { id: number }) =>
  db
    .selectFrom('visible_content')
    .select(sql<number>`octet_length(content)`.as('bytes'))
    .where('id', '=', input.id),
);

/** Bytes of the content of an item; 0 where there is no such item. */
export const sizeOfContent = readOperation(
  'content.size',
  async (db, id: number): Promise<number> => (await sizeById(db, { id }))[0]?.bytes ?? 0,
);

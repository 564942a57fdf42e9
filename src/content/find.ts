import { sql } from 'kysely';
import { columnsFor } from '../store/fields.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ContentRow } from './contract.ts';
import { CONTENT_FIELDS } from './fields.ts';
import { selectWithDrafts } from './visibility.ts';

/** The columns of a record in the table, without the large ones. */
export const SHORT_COLUMNS = columnsFor(CONTENT_FIELDS, 'everybody')
  .filter((name) => name !== 'author_name' && name !== 'content' && name !== 'meta')
  .map((name) => `content.${name}` as const);

/** Visible content with the name of its author: the columns of a record. */
export function selectRecords(db: Db) {
  return selectWithoutText(db).select(['content.content', 'content.meta']);
}

/** The columns of a visible record, without the large ones. */
export function selectWithoutText(db: Db) {
  return fromVisible(db).select([...SHORT_COLUMNS, 'users.username as author_name']);
}

/** Visible content with its authors. */
export function fromVisible(db: Db) {
  return db.selectFrom('visible_content as content').innerJoin('users', 'users.id', 'content.author_id');
}

/** The row of an item that the write has locked. */
export function recordOf(db: Db, id: number) {
  return selectWithDrafts(db)
    .innerJoin('users', 'users.id', 'content.author_id')
    .select([...SHORT_COLUMNS, 'content.content', 'content.meta', 'users.username as author_name'])
    .where('content.id', '=', id);
}

const recordById = statement((db, input: { id: number }) =>
  selectRecords(db).where('content.id', '=', input.id),
);

/** One item by id, which everybody may see. */
export const findContent = readOperation(
  'content.find',
  async (db, id: number): Promise<ContentRow | undefined> => (await recordById(db, { id }))[0],
);

const stateById = statement((db, input: { id: number }) =>
  fromVisible(db)
    .select(['content.version', 'content.updated_at', 'content.author_id', 'users.username as author_name'])
    .where('content.id', '=', input.id),
);

/** What tells each look of such an item from every other, without its text. */
export const findState = readOperation(
  'content.find_state',
  async (db, id: number) => (await stateById(db, { id }))[0],
);

const sizeById = statement((db, input: { id: number }) =>
  selectWithDrafts(db)
    .select(['author_id', sql<number>`octet_length(content)`.as('bytes')])
    .where('id', '=', input.id),
);

interface ContentSize {
  readonly author_id: number;
  readonly bytes: number;
}

/** The bytes of the content of an item, and its author; undefined where there is no such item. */
export const sizeOfContent = readOperation(
  'content.size',
  async (db, id: number): Promise<ContentSize | undefined> => (await sizeById(db, { id }))[0],
);

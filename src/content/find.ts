import { sql } from 'kysely';
import type { TooLong } from '../domain/too-long.ts';
import { columnsFor } from '../store/fields.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ContentRecord, ContentRow } from './contract.ts';
import { CONTENT_FIELDS } from './fields.ts';
import { byReader, type Reader, SHOWN, selectWithDrafts } from './visibility.ts';

/** The columns of a record in the table, without the large ones. */
export const SHORT_COLUMNS = columnsFor(CONTENT_FIELDS, 'everybody')
  .filter((name) => name !== 'author_name' && name !== 'content' && name !== 'meta')
  .map((name) => `content.${name}` as const);

/** The columns of a record, from the table and the one with its author. */
export const RECORD_COLUMNS = [
  ...SHORT_COLUMNS,
  'content.content',
  'content.meta',
  'users.username as author_name',
] as const;

/** Visible content with the name of its author: the columns of a record. */
export function selectRecords(db: Db, reader: Reader) {
  return fromVisible(db, reader).select(RECORD_COLUMNS);
}

/** What a reader may see, with its authors. */
export function fromVisible(db: Db, reader: Reader) {
  return db.selectFrom(`${SHOWN[reader]} as content`).innerJoin('users', 'users.id', 'content.author_id');
}

/** The row of an item that the write has locked. */
export function recordOf(db: Db, id: number) {
  return selectWithDrafts(db)
    .innerJoin('users', 'users.id', 'content.author_id')
    .select(RECORD_COLUMNS)
    .where('content.id', '=', id);
}

/** About the bytes of a row and of its answer, without the long texts. */
const ROW_BYTES = 2_048;
/** The same for the state of an item. */
export const STATE_BYTES = 400;

/** An item, and who asks for it. */
interface ItemRequest {
  readonly id: number;
  readonly reader: Reader;
}

/** `most`: a text of more bytes is not read. */
interface TextRequest extends ItemRequest {
  readonly most: number;
}

export const CONTENT_BYTES = sql<number>`octet_length(content.content)`;

const recordsById = byReader((reader) =>
  statement((db, input: Omit<TextRequest, 'reader'>) =>
    selectRecords(db, reader).where('content.id', '=', input.id).where(CONTENT_BYTES, '<=', input.most),
  ),
);

const shownSizeById = byReader((reader) =>
  statement((db, input: { id: number }) =>
    fromVisible(db, reader).select(CONTENT_BYTES.as('bytes')).where('content.id', '=', input.id),
  ),
);

/** An item, and what the requests that share it have made of it: the record, and the JSON of the answer. */
export interface FoundContent {
  readonly row: ContentRow;
  record?: ContentRecord;
  json?: string;
}

/** One item by id, which is no draft and which the reader may see; of a longer one only its bytes. */
export const findContent = readOperation(
  'content.find',
  async (db, { id, reader, most }: TextRequest): Promise<FoundContent | TooLong | undefined> => {
    const [row] = await recordsById[reader](db, { id, most });
    return row ? { row } : (await shownSizeById[reader](db, { id }))[0];
  },
  () => false,
  // The row, and what is made of it.
  (found) =>
    found && 'row' in found ? 2 * (found.row.content.length + found.row.meta.length) + ROW_BYTES : 0,
);

/** Of columns behind the text, what SQLite knows without reading that: whether there is a slug, and a length. */
export const HAS_SLUG = sql<string | null>`case when content.slug is null then null else '' end`;
export const IS_PUBLIC = sql<boolean>`octet_length(content.visibility) = ${sql.lit('public'.length)}`;

const statesById = byReader((reader) =>
  statement((db, input: { id: number }) =>
    fromVisible(db, 'account')
      .select(['content.version', 'content.updated_at', HAS_SLUG.as('slug'), 'content.author_id'])
      .select('users.username as author_name')
      .$if(reader === 'stranger', (query) => query.where(IS_PUBLIC))
      .where('content.id', '=', input.id),
  ),
);

/** What tells each look of such an item from every other, without its text. */
export const findState = readOperation(
  'content.find_state',
  async (db, { id, reader }: ItemRequest) => (await statesById[reader](db, { id }))[0],
  () => false,
  () => STATE_BYTES,
);

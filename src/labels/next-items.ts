import { sql } from 'kysely';
import { ITEM_BYTES } from '../content/stored.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db } from '../store/tables.ts';
import type { LabelRename } from './rename.ts';
import { renamed } from './renamed.ts';

/** One step changes so many items at most, and about so many bytes of text, because other writes wait for it. */
const ITEMS = 20;
const BYTES = 512 * 1024;
/** It looks at so many rows. */
const ROWS = 200;
const DRAFTS = 20;

export interface NextItem {
  readonly id: number;
  readonly author_id: number;
  /** Of its texts, or of the draft beside it. */
  readonly bytes: number;
}

export interface NextItems {
  readonly items: readonly NextItem[];
  /** Where the next step goes on; undefined at the end of the part. */
  readonly after: number | undefined;
}

/** The next items with the label in the part that a renaming is at. */
export function nextItems(db: Db, rename: LabelRename): Promise<NextItems> {
  if (rename.part === 'visible') return nextVisible(db, rename);
  return rename.part === 'hidden' ? nextHidden(db, rename) : nextDrafts(db, rename);
}

function within(rows: readonly NextItem[], isLast: boolean): NextItems {
  const items = rowsWithin(rows.slice(0, ITEMS), BYTES);
  return { items, after: isLast && items.length === rows.length ? undefined : items.at(-1)?.id };
}

async function nextVisible(db: Db, rename: LabelRename): Promise<NextItems> {
  const found = await (rename.kind === 'tag' ? tagged(db, rename) : inCategory(db, rename)).execute();
  if (found.length === 0) return { items: [], after: undefined };
  const ids = found.map(({ id }) => id);
  const rows = await db
    .selectFrom('content')
    .select(['id', 'author_id', ITEM_BYTES.as('bytes')])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  // All of them were deleted between the two statements.
  if (rows.length === 0 && found.length === ITEMS) return { items: [], after: ids.at(-1) };
  return within(rows, found.length < ITEMS);
}

function tagged(db: Db, { from_name, after_id, last_id }: LabelRename) {
  return db
    .selectFrom('content_tags')
    .select('content_id as id')
    .where('tag', '=', from_name)
    .where('content_id', '>', after_id)
    .where('content_id', '<=', last_id)
    .orderBy('content_id')
    .limit(ITEMS);
}

function inCategory(db: Db, { from_name, after_id, last_id }: LabelRename) {
  return db
    .selectFrom('content')
    .select('id')
    .where(sql<boolean>`visible = 1 and category <> ''`)
    .where('category', '=', from_name)
    .where('id', '>', after_id)
    .where('id', '<=', last_id)
    .orderBy('id')
    .limit(ITEMS);
}

async function nextHidden(db: Db, rename: LabelRename): Promise<NextItems> {
  const rows = await db
    .selectFrom('content')
    .select(['id', 'author_id', 'category', 'tags', ITEM_BYTES.as('bytes')])
    .where(sql<boolean>`visible = 0`)
    .where('id', '>', rename.after_id)
    .where('id', '<=', rename.last_id)
    .orderBy('id')
    .limit(ROWS)
    .execute();
  const isLast = rows.length < ROWS;
  const matching = rows.filter((row) => renamed(rename, row) !== undefined);
  const next = within(matching, isLast);
  const isWhole = next.items.length === matching.length;
  return isWhole && !isLast ? { ...next, after: rows.at(-1)?.id } : next;
}

/** Drafts beside items: their labels are in a text of up to a few mebibytes, so few are looked at. */
async function nextDrafts(db: Db, { after_id, last_id }: LabelRename): Promise<NextItems> {
  const rows = await db
    .selectFrom('content_drafts')
    .innerJoin('content', 'content.id', 'content_drafts.content_id')
    .select(['content_id as id', 'author_id', sql<number>`octet_length(written)`.as('bytes')])
    .where('content_id', '>', after_id)
    .where('content_id', '<=', last_id)
    .orderBy('content_id')
    .limit(DRAFTS)
    .execute();
  return within(rows, rows.length < DRAFTS);
}

import { type RawBuilder, sql } from 'kysely';
import { codePoints, foldKey } from '../../domain/text.ts';
import type { IdSet } from '../id-set.ts';
import type { SearchableContent } from '../operation.ts';
import { statement } from '../statement.ts';
import type { Db } from '../tables.ts';
import { fewCandidates } from './candidates.ts';
import { phrase, TRIGRAM } from './trigram.ts';

/**
 * Search over content with SQLite (decisions 0011). An item is put into the trigram index a moment
 * after its write, because indexing one kilobyte costs more than all the rest of creating it. Until
 * then it is listed in `content_unindexed`, and a search reads it directly: exact at any moment.
 */

/** One round of indexing stops after this many characters: a few milliseconds of the writer's time. */
const ROUND_CHARACTERS = 16_384;
const ROUND_ITEMS = 64;
/** FTS5 reads the two noncharacters as U+FFFD, so its index cannot tell these three apart. */
const ALIKE_IN_INDEX = /[\ufffd-\uffff]/;
/** Items in memory at a time while their text is read. */
const SCAN_ITEMS = 256;

const awaitIndexing = statement((db, input: { id: number }) =>
  db
    .insertInto('content_unindexed')
    .values({ content_id: input.id })
    .onConflict((conflict) => conflict.column('content_id').doNothing())
    .returning('content_id'),
);

const removeFromIndex = statement(
  (_, input: { id: number }) => sql`delete from content_search where rowid = ${input.id}`,
);

/** It is in no index yet. */
export async function contentCreated(db: Db, { id }: SearchableContent): Promise<void> {
  await awaitIndexing(db, { id });
}

export async function contentChanged(db: Db, { id }: SearchableContent): Promise<void> {
  const [waiting] = await awaitIndexing(db, { id });
  // Listed anew: it may be in the index as it was before.
  if (waiting) await removeFromIndex(db, { id });
}

export async function indexContent(db: Db): Promise<boolean> {
  const waiting = await db
    .selectFrom('content_unindexed')
    .select('content_id as id')
    .limit(ROUND_ITEMS)
    .execute();
  let characters = 0;
  for (const { id } of waiting) {
    if (characters > ROUND_CHARACTERS) return true;
    characters += await indexItem(db, id);
  }
  return waiting.length === ROUND_ITEMS;
}

async function indexItem(db: Db, id: number): Promise<number> {
  const { title, content } = await db
    .selectFrom('content')
    .select(['title', 'content'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await sql`insert into content_search (rowid, title, content)
    values (${id}, ${foldKey(title)}, ${foldKey(content)})`.execute(db);
  await sql`delete from content_unindexed where content_id = ${id}`.execute(db);
  return title.length + content.length;
}

export async function contentMatching(db: Db, keyword: string): Promise<IdSet> {
  if (codePoints(keyword) < TRIGRAM || ALIKE_IN_INDEX.test(keyword)) {
    return listed(await read(db, keyword));
  }
  const unindexed = await read(db, keyword, sql`select content_id from content_unindexed`);
  const candidates = await fewCandidates(db, 'content_search', keyword);
  if (candidates !== undefined) {
    const found = await read(db, keyword, sql`select value from json_each(${candidates})`);
    return listed([...found, ...unindexed]);
  }
  const indexed: IdSet = sql`
    select rowid as id from content_search where content_search match ${phrase(keyword)}`;
  return unindexed.length === 0 ? indexed : sql`${indexed} union all ${listed(unindexed)}`;
}

function listed(ids: readonly number[]): IdSet {
  return sql`select value as id from json_each(${JSON.stringify(ids)})`;
}

/** The ids of those items whose text contains the keyword, among some or all. */
async function read(db: Db, keyword: string, among?: RawBuilder<number>): Promise<number[]> {
  const found: number[] = [];
  for (let last = 0; ; ) {
    const items = await db
      .selectFrom('content')
      .select(['id', 'title', 'content'])
      .$if(among !== undefined, (items) => items.where(sql<boolean>`id in (${among})`))
      .where('id', '>', last)
      .orderBy('id')
      .limit(SCAN_ITEMS)
      .execute();
    for (const { id, title, content } of items) {
      if (foldKey(title).includes(keyword) || foldKey(content).includes(keyword)) found.push(id);
    }
    last = items.at(-1)?.id ?? last;
    if (items.length < SCAN_ITEMS) return found;
  }
}

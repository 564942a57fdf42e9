import { sql } from 'kysely';
import { codePoints, foldKey } from '../../domain/text.ts';
import type { IdSet } from '../id-set.ts';
import type { SearchableContent } from '../operation.ts';
import { statement } from '../statement.ts';
import type { Db } from '../tables.ts';
import { TRIGRAM } from '../trigrams.ts';
import { fewCandidates } from './candidates.ts';
import { isNewFor } from './content-indexed.ts';
import { listed } from './id-list.ts';
import { phrase } from './match.ts';

/**
 * Search over content with SQLite (decisions 0011). An item is put into the trigram index a moment
 * after its write, because indexing one kilobyte costs more than all the rest of creating it. A new item
 * waits as long as its id is greater than that in `content_indexed`, a changed one in `content_unindexed`,
 * and a search reads both directly: exact at any moment.
 */

/** One round of indexing stops after this many characters: a few milliseconds of the writer's time. */
const ROUND_CHARACTERS = 16_384;
const ROUND_ITEMS = 64;
/** FTS5 reads the two noncharacters as U+FFFD, so its index cannot tell these three apart. */
const ALIKE_IN_INDEX = /[\ufffd-\uffff]/;
/** No limit, in SQLite's words. */
const EVERY = -1;
/** Items in memory at a time while their text is read. */
const ITEMS_AT_ONCE = 256;

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

export async function contentChanged(db: Db, { id }: SearchableContent): Promise<void> {
  if (await isNewFor(db, 'search', id)) return;
  const [waiting] = await awaitIndexing(db, { id });
  // Listed anew: it may be in the index as it was before.
  if (waiting) await removeFromIndex(db, { id });
}

/** The ids of what waits: first what was changed, then what is new, in order. */
async function waitingIds(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select content_id as id from content_unindexed
    union all
    select id from content where id > (select search from content_indexed)
    order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function indexContent(db: Db): Promise<boolean> {
  const waiting = await waitingIds(db, ROUND_ITEMS);
  let [characters, done] = [0, 0];
  for (const id of waiting) {
    if (characters > ROUND_CHARACTERS) break;
    characters += await indexItem(db, id);
    done++;
  }
  const last = waiting[done - 1] ?? 0;
  await db.updateTable('content_indexed').set({ search: last }).where('search', '<', last).execute();
  return done < waiting.length || waiting.length === ROUND_ITEMS;
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
    return listed(await amongAll(db, keyword));
  }
  const unindexed = await among(db, keyword, await waitingIds(db, EVERY));
  const candidates = await fewCandidates(db, 'content_search', keyword);
  if (candidates !== undefined) return listed([...(await among(db, keyword, candidates)), ...unindexed]);
  const indexed: IdSet = sql`
    select rowid as id from content_search where content_search match ${phrase(keyword)}`;
  return unindexed.length === 0 ? indexed : sql`${indexed} union all ${listed(unindexed)}`;
}

interface Texts {
  id: number;
  title: string;
  content: string;
}

const textsOf = statement(
  (_, input: { ids: string }) => sql<Texts>`
    select id, title, content from content where id in (select value from json_each(${input.ids}))`,
);

const textsAfter = statement((db, input: { last: number }) =>
  db
    .selectFrom('content')
    .select(['id', 'title', 'content'])
    .where('id', '>', input.last)
    .orderBy('id')
    .limit(ITEMS_AT_ONCE),
);

/** Those of some items that contain the keyword, read one by one. */
async function among(db: Db, keyword: string, ids: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (let first = 0; first < ids.length; first += ITEMS_AT_ONCE) {
    const some = JSON.stringify(ids.slice(first, first + ITEMS_AT_ONCE));
    keepMatches(found, await textsOf(db, { ids: some }), keyword);
  }
  return found;
}

async function amongAll(db: Db, keyword: string): Promise<number[]> {
  const found: number[] = [];
  for (let last = 0; ; ) {
    const items = await textsAfter(db, { last });
    keepMatches(found, items, keyword);
    last = items.at(-1)?.id ?? last;
    if (items.length < ITEMS_AT_ONCE) return found;
  }
}

function keepMatches(found: number[], items: readonly Texts[], keyword: string): void {
  for (const { id, title, content } of items) {
    if (foldKey(title).includes(keyword) || foldKey(content).includes(keyword)) found.push(id);
  }
}

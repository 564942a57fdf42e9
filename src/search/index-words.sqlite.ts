import { sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { IndexProgress } from './search-index.ts';
import { SEARCHED_TEXTS } from './searched-texts.ts';
import {
  beginFullMerge,
  mergeOn,
  mergeShare,
  putWords,
  removeAllWords,
  removeWords,
} from './word-table.sqlite.ts';

/** One round has at most this many items, and about this many bytes of text. */
const ROUND_ITEMS = 256;
const ROUND_BYTES = 131_072;
/** Words of changed or removed items leave the index after this time. */
const STALE_MS = 24 * 60 * 60 * 1_000;

/** The row of `content_search_state`, in the file of the index (schema/derived.ts). */
interface State {
  readonly database: string;
  /** The database whose index this is. Null before the first round. */
  readonly of: string | null;
  readonly place: number | null;
  readonly seen: number | null;
  readonly next_id: number | null;
  readonly stale_since: number | null;
  readonly is_merging: 0 | 1 | null;
  readonly last: number;
  readonly oldest: number;
  readonly last_id: number;
}

const stateOf = statement(
  () => sql<State>`
    select database_id.id as database, state.database as "of", place, seen, next_id, stale_since, is_merging,
      (select coalesce(max(place), 0) from content_search_queue) as last,
      (select coalesce(min(place), 1) from content_search_queue) as oldest,
      (select coalesce(max(id), 0) from content) as last_id
    from database_id left join content_search_state as state on true`,
);

async function readState(db: Db) {
  const [state] = await stateOf(db, {});
  if (!state) throw new Error('The database has no id.');
  const [place, seen] = [state.place ?? 0, state.seen ?? 0];
  const isOfDatabase = state.of === null || state.of === state.database;
  // An older copy of the database was put back.
  const isAhead = isOfDatabase && seen > state.last;
  // If the queue begins later, the index lacks changes that are no longer in the queue.
  const isOwn = isOfDatabase && !isAhead && state.oldest <= place + 1;
  return { ...state, place, isAhead, isOwn };
}

/** How far the index is, as seen by one read of two files. `waiting` is an estimate. */
export async function indexProgress(db: Db): Promise<IndexProgress> {
  const { isOwn, isAhead, place, last, oldest, next_id, last_id } = await readState(db);
  // This read usually sees the index a moment later than the database. Only a round sees both at one moment.
  if (isAhead) return { last, oldest, indexed: last, waiting: 0, isOwn };
  if (!isOwn) return { last, oldest, indexed: 0, waiting: Math.max(1, last_id), isOwn };
  const missing = next_id === null ? 0 : last_id - next_id + 1;
  const indexed = next_id === null ? place : 0;
  return { last, oldest, indexed, waiting: last - place + missing, isOwn };
}

/** Are segments being merged, or have removed words been in the index for STALE_MS? */
export async function isUntidy(db: Db): Promise<boolean> {
  const { stale_since, is_merging } = await readState(db);
  return is_merging === 1 || (stale_since !== null && Date.now() - stale_since >= STALE_MS);
}

/** Indexes changes. If all items are being indexed again, it also continues that. */
export async function indexSome(db: Db): Promise<boolean> {
  const state = await readState(db);
  if (!state.isOwn) {
    await beginAgain(db, state);
    return true;
  }
  // Both in each round, because changes without a pause must not keep older items out of the index.
  if (state.next_id !== null) await indexMissing(db, state.next_id);
  const queued = await queuedAfter(db, { place: state.place, items: ROUND_ITEMS });
  if (queued.length === 0) return state.next_id !== null;
  const round = queued.slice(0, itemsThatFit(queued));
  const isStale = await indexItems(db, [...new Set(round.map(({ id }) => id))]);
  await noteRound(db, {
    database: state.database,
    place: round.at(-1)?.place ?? state.place,
    seen: state.last,
    stale: isStale ? Date.now() : null,
  });
  return state.next_id !== null || queued.length === ROUND_ITEMS || round.length < queued.length;
}

interface Queued {
  readonly place: number;
  readonly id: number;
  /** Bytes of the text. 0 if the item is hidden or deleted. */
  readonly bytes: number;
}

const queuedAfter = statement(
  (_, { place, items }: { place: number; items: number }) => sql<Queued>`
    select place, content_id as id, coalesce(octet_length(item.content), 0) as bytes
    from content_search_queue left join visible_content as item on item.id = content_id
    where place > ${place} order by place limit ${atMost(items)}`,
);

/** How many of the items fit into ROUND_BYTES of searched text. At least one, even if it is long. */
function itemsThatFit(items: readonly { readonly bytes: number }[]): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => {
    bytes += Math.min(item.bytes, SEARCHED_UNITS);
    return bytes > ROUND_BYTES;
  });
  return tooMany === -1 ? items.length : Math.max(1, tooMany);
}

interface Round {
  readonly database: string;
  readonly place: number;
  readonly seen: number;
  readonly stale: number | null;
}

const noteRound = statement(
  (_, { database, place, seen, stale }: Round) => sql`
    insert into content_search_state (only, database, place, seen, stale_since)
    values (1, ${database}, ${place}, ${seen}, ${stale})
    on conflict do update set place = excluded.place, seen = excluded.seen, stale_since = coalesce(stale_since, excluded.stale_since)`,
);

/** True if the index still has words that the items no longer have. */
async function indexItems(db: Db, ids: readonly number[]): Promise<boolean> {
  const items = await db
    .selectFrom('visible_content')
    .select(['id', 'version', ...SEARCHED_TEXTS])
    .where('id', 'in', ids)
    .execute();
  await putWords(db, items);
  const there = new Set(items.map(({ id }) => id));
  const gone = ids.filter((id) => !there.has(id));
  for (const id of gone) await removeWords(db, { id });
  await mergeShare(db, items);
  return gone.length > 0 || items.some(({ version }) => version > 1);
}

/** All items are indexed again, earlier changes included. So the queue continues after its last place. */
async function beginAgain(db: Db, { database, last }: State): Promise<void> {
  await removeAllWords(db);
  await sql`
    insert or replace into content_search_state (only, database, place, seen, next_id)
    values (1, ${database}, ${last}, ${last}, 1)`.execute(db);
}

async function indexMissing(db: Db, from: number): Promise<void> {
  const next = await itemsFrom(db, { from, items: ROUND_ITEMS });
  const ids = next.slice(0, itemsThatFit(next)).map(({ id }) => id);
  const last = ids.at(-1);
  if (last !== undefined) await indexItems(db, ids);
  await noteMissing(db, { next: last === undefined ? null : last + 1 });
}

const itemsFrom = statement(
  (_, { from, items }: { from: number; items: number }) => sql<{ id: number; bytes: number }>`
    select id, min(octet_length(content), ${sql.lit(SEARCHED_UNITS)}) as bytes from visible_content
    where id >= ${from} order by id limit ${atMost(items)}`,
);

const noteMissing = statement(
  (_, { next }: { next: number | null }) => sql`update content_search_state set next_id = ${next}`,
);

/** Merges the index, step by step, until it has no word of a changed or removed item. */
export async function tidyIndex(db: Db): Promise<boolean> {
  const { is_merging } = await readState(db);
  if (is_merging === 1) {
    const isMore = await mergeOn(db);
    if (!isMore) await sql`update content_search_state set is_merging = 0`.execute(db);
    return isMore;
  }
  await beginFullMerge(db);
  await sql`update content_search_state set is_merging = 1, stale_since = null`.execute(db);
  return true;
}

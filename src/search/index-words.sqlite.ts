import { sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { inTurns, ROUND_BYTES, type Round } from './in-turns.ts';
import { noteRound, readState, type State } from './index-state.sqlite.ts';
import { joined, placesIn, type Range, splitAfter } from './places.ts';
import type { IndexProgress, RoundOrder } from './search-index.ts';
import { SEARCHED_TEXTS } from './searched-texts.ts';
import {
  beginFullMerge,
  mergeOn,
  mergeShare,
  putWords,
  removeAllWords,
  removeWords,
} from './word-table.sqlite.ts';

/** One round has at most this many items. */
const ROUND_ITEMS = 256;
/** A round chooses from this many of the oldest waiting changes, and from this many of the newest. */
const OLDEST = 256;
const NEWEST = 128;
/** The changes between those are at most this many ranges. If they would be more, some changes are indexed twice. */
const RANGES = 1_024;
/** Words of changed or removed items leave the index after this time. */
const STALE_MS = 24 * 60 * 60 * 1_000;

/** How far the index is, as seen by one read of two files. `waiting` is an estimate. */
export async function indexProgress(db: Db): Promise<IndexProgress> {
  const { isOwn, isAhead, place, queue, last, oldest, next_id, last_id } = await readState(db);
  // This read usually sees the index a moment later than the database. Only a round sees both at one moment.
  if (isAhead) return { last, oldest, indexed: last, waiting: 0, isOwn };
  if (!isOwn) return { last, oldest, indexed: 0, waiting: Math.max(1, last_id), isOwn };
  const missing = next_id === null ? 0 : last_id - next_id + 1;
  const indexed = next_id === null ? place : 0;
  return { last, oldest, indexed, waiting: placesIn(queue) + missing, isOwn };
}

/** Are segments being merged, or have removed words been in the index for STALE_MS? */
export async function isUntidy(db: Db): Promise<boolean> {
  const { stale_since, is_merging } = await readState(db);
  return is_merging === 1 || (stale_since !== null && Date.now() - stale_since >= STALE_MS);
}

/** Indexes changes. If all items are being indexed again, it also continues that. */
export async function indexSome(db: Db, _: unknown, order: RoundOrder): Promise<boolean> {
  const state = await readState(db);
  if (!state.isOwn) {
    await beginAgain(db, state);
    return true;
  }
  // Both in each round, because changes without a pause must not keep older items out of the index.
  if (state.next_id !== null) await indexMissing(db, state.next_id);
  if (state.queue.length === 0) return state.next_id !== null;
  const { looked, between } = ends(state.queue);
  const queued = await lookedAt(db, looked, order);
  const round = queued.filter(({ is_next }) => is_next === 1);
  const isStale = round.length > 0 && (await indexItems(db, [...new Set(round.map(({ id }) => id))]));
  const left = queued.filter(({ is_next }) => is_next === 0).map(({ place }): Range => [place, place]);
  const passedOver = joined([...joined(between, RANGES), ...left], Number.POSITIVE_INFINITY);
  await noteRound(db, { database: state.database, passedOver, seen: state.last, isStale });
  return state.next_id !== null || passedOver.length > 0;
}

/** The changes of the next round of turns. */
export async function nextTurns(db: Db): Promise<readonly number[]> {
  const { looked } = ends((await readState(db)).queue);
  const queued = await lookedAt(db, looked, 'turns');
  return queued.filter(({ is_next }) => is_next === 1).map(({ place }) => place);
}

/** The waiting changes that a round chooses from, and the others. */
function ends(queue: readonly Range[]) {
  const [oldest, newer] = splitAfter(OLDEST, queue);
  const [between, newest] = splitAfter(Math.max(0, placesIn(newer) - NEWEST), newer);
  return { looked: [...oldest, ...newest], between };
}

interface Queued {
  readonly place: number;
  readonly id: number;
  /** Does it belong to the next round? */
  readonly is_next: 0 | 1;
}

function lookedAt(db: Db, ranges: readonly Range[], order: RoundOrder): Promise<readonly Queued[]> {
  const fair = order === 'turns' ? 1 : 0;
  return changesOf(db, { ranges: JSON.stringify(ranges), changes: ROUND_ITEMS, fair });
}

const ITEM = sql`visible_content as item on item.id = waiting.id`;

interface Looked extends Round {
  readonly ranges: string;
}

const changesOf = statement((_, { ranges, changes, fair }: Looked) => {
  const waiting = sql`
    select place, content_id as id from json_each(${ranges}) as looked
      join content_search_queue on place between looked.value ->> 0 and looked.value ->> 1`;
  return sql<Queued>`${inTurns(waiting, ITEM, { changes, fair })}`;
});

/** How many of the items fit into ROUND_BYTES of searched text. At least one, even if it is long. */
function itemsThatFit(items: readonly { readonly bytes: number }[]): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => {
    bytes += Math.min(item.bytes, SEARCHED_UNITS);
    return bytes > ROUND_BYTES;
  });
  return tooMany === -1 ? items.length : Math.max(1, tooMany);
}

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

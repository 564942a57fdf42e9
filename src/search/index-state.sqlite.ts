import { sql } from 'kysely';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { Range } from './places.ts';

/** The row of `content_search_state`, in the file of the index (schema/derived.ts). */
export interface State {
  readonly database: string;
  /** The database whose index this is. Null before the first round. */
  readonly of: string | null;
  readonly place: number | null;
  /** A JSON array of ranges, or null before the first round. */
  readonly passed_over: string | null;
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
    select database_id.id as database, state.database as "of", place, passed_over, seen, next_id, stale_since, is_merging,
      (select coalesce(max(place), 0) from content_search_queue) as last,
      (select coalesce(min(place), 1) from content_search_queue) as oldest,
      (select coalesce(max(id), 0) from content) as last_id
    from database_id left join content_search_state as state on true`,
);

export async function readState(db: Db) {
  const [state] = await stateOf(db, {});
  if (!state) throw new Error('The database has no id.');
  const [place, seen] = [state.place ?? 0, state.seen ?? 0];
  const isOfDatabase = state.of === null || state.of === state.database;
  // An older copy of the database was put back.
  const isAhead = isOfDatabase && seen > state.last;
  // If the queue begins later, the index lacks changes that are no longer in the queue.
  const isOwn = isOfDatabase && !isAhead && state.oldest <= place + 1;
  const passedOver: readonly Range[] = JSON.parse(state.passed_over ?? '[]');
  const queue: readonly Range[] = seen < state.last ? [...passedOver, [seen + 1, state.last]] : passedOver;
  return { ...state, place, queue, isAhead, isOwn };
}

interface Indexed {
  readonly database: string;
  readonly passedOver: readonly Range[];
  readonly seen: number;
  readonly isStale: boolean;
}

/** Stores how far the index is after a round. */
export async function noteRound(db: Db, { passedOver, isStale, ...round }: Indexed): Promise<void> {
  const oldest = passedOver[0];
  const place = oldest ? oldest[0] - 1 : round.seen;
  const stale = isStale ? Date.now() : null;
  await putState(db, { ...round, place, passedOver: JSON.stringify(passedOver), stale });
}

type NewState = Pick<Indexed, 'database' | 'seen'> & {
  readonly place: number;
  readonly passedOver: string;
  readonly stale: number | null;
};

const putState = statement(
  (_, { database, place, passedOver, seen, stale }: NewState) => sql`
    insert into content_search_state (only, database, place, passed_over, seen, stale_since)
    values (1, ${database}, ${place}, ${passedOver}, ${seen}, ${stale})
    on conflict do update set place = excluded.place, passed_over = excluded.passed_over, seen = excluded.seen,
      stale_since = coalesce(stale_since, excluded.stale_since)`,
);

import { sql } from 'kysely';
import type { Page, PageRequest, Walk, WalkRequest } from '../domain/page.ts';
import type { EventName } from '../services/audit/events.ts';
import { inTimeOn } from '../store/deadline.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { countThenPage, walkOf } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';

interface Conditions {
  readonly event?: EventName | undefined;
  /** The id of the account that the events are about. */
  readonly account?: number | undefined;
  /** The id of the account that did it. */
  readonly actor?: number | undefined;
  /** Where the request came from, as the trail has it. */
  readonly address?: string | undefined;
  /** From this time on, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Before this time. */
  readonly until?: number | undefined;
}

type Query = Conditions & PageRequest;

/** A row of the trail, with the names that its accounts have now; null where there is none. */
export type EventRow = Awaited<ReturnType<typeof rowsOn>>[number];

/** Security events that meet every filter given, newest first. */
export const listEvents = readOperation(
  'audit.list',
  (db, query: Query, engine): Promise<Page<EventRow>> => {
    const events = matching(db, query, engine);
    return countThenPage(query, events, (offset) => rowsOn(db, events.limit(query.per_page).offset(offset)));
  },
  // A year of events is counted, by an index where there is one filter and a time.
  () => true,
);

/** The next events of the same list, from newer to older ones. */
export const walkEvents = readOperation(
  'audit.walk',
  (db, query: Conditions & WalkRequest, engine): Promise<Walk<EventRow>> => {
    const events = matching(db, query, engine);
    return walkOf(
      query,
      ({ after, limit }) => rowsOn(db, events.where('id', '<', after).limit(limit)),
      Number.MAX_SAFE_INTEGER,
    );
  },
  () => true,
);

function matching(db: Db, { event, account, actor, address, since, until }: Conditions, engine: Engine) {
  return db
    .selectFrom('audit_events')
    .where((eb) =>
      eb.and([
        inTimeOn(engine, sql`id`),
        ...(event === undefined ? [] : [eb('event', '=', event)]),
        ...(account === undefined ? [] : [eb('account_id', '=', account)]),
        ...(actor === undefined ? [] : [eb('actor_id', '=', actor)]),
        ...(address === undefined ? [] : [eb('address', '=', address)]),
        ...(since === undefined ? [] : [eb('at', '>=', since)]),
        ...(until === undefined ? [] : [eb('at', '<', until)]),
      ]),
    );
}

function rowsOn(db: Db, page: ReturnType<typeof matching>) {
  return db
    .selectFrom(page.selectAll().orderBy('id', 'desc').as('events'))
    .leftJoin('users as account', 'account.id', 'events.account_id')
    .leftJoin('users as actor', 'actor.id', 'events.actor_id')
    .select(['events.id', 'at', 'event', 'account_id', 'actor_id', 'session_id', 'address', 'request_id'])
    .select(['detail', 'times', 'account.username as account_name', 'actor.username as actor_name'])
    .orderBy('events.id', 'desc')
    .execute();
}

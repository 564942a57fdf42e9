import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import type { EventName } from '../services/audit/events.ts';
import { readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

interface Filter {
  readonly event?: EventName | undefined;
  /** The id of the account that the events are about. */
  readonly account?: number | undefined;
}

/** A row of the trail, with the names that its accounts have now; null where there is none. */
export type EventRow = Awaited<ReturnType<typeof rowsOf>>[number];

/** Security events that meet every filter given, newest first. */
export const listEvents = readOperation(
  'audit.list',
  async (db, query: PageRequest & Filter): Promise<Page<EventRow>> => {
    const { page, per_page } = query;
    const { total } = await matching(db, query)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    const items = offsetOf(query) < Number(total) ? await rowsOf(db, query) : [];
    return { items, total: Number(total), page, per_page };
  },
  // A year of events is counted by its index.
  () => true,
);

function matching(db: Db, { event, account }: Filter) {
  return db.selectFrom('audit_events').where((eb) =>
    eb.and({
      ...(event === undefined ? {} : { event }),
      ...(account === undefined ? {} : { account_id: account }),
    }),
  );
}

function rowsOf(db: Db, query: PageRequest & Filter) {
  const onPage = matching(db, query)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.per_page)
    .offset(offsetOf(query));
  return db
    .selectFrom(onPage.as('events'))
    .leftJoin('users as account', 'account.id', 'events.account_id')
    .leftJoin('users as actor', 'actor.id', 'events.actor_id')
    .select(['events.id', 'at', 'event', 'account_id', 'actor_id', 'session_id', 'address', 'request_id'])
    .select(['detail', 'times', 'account.username as account_name', 'actor.username as actor_name'])
    .orderBy('events.id', 'desc')
    .execute();
}

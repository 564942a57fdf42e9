import { isoTime } from '../domain/time.ts';
import type { FeedChange } from '../services/changes/read.ts';
import { type Mark, toEventId } from './mark.ts';

/** Milliseconds after which a browser comes back. */
const RETRY_MS = 3_000;

/** One event of a stream (the HTML standard, 9.2.6). It has ids only: who wants the item reads it, as it is by then. */
export function frameOf(change: FeedChange, isInFull: boolean): string {
  const { event, item_id, account_id, version, actor_id, owner_id, number, at } = change;
  const showsActor = actor_id !== null && (isInFull || actor_id === owner_id);
  const data = {
    event,
    id: item_id ?? account_id,
    ...(version !== null && { version }),
    at: isoTime(at),
    ...(showsActor && { by: { id: actor_id } }),
  };
  return eventFrame({ number, at }, event, data);
}

/** Says that changes may be missing before this mark: the listener reads again what it shows. */
export function resetFrame(mark: Mark): string {
  return eventFrame(mark, 'reset', { event: 'reset' });
}

/** The beginning of a stream. The id is where a listener goes on that hears nothing. */
export function openingFrame(mark: Mark): string {
  return `retry: ${RETRY_MS}\n${markFrame(mark)}`;
}

/** Keeps the connection, and moves the listener on past changes that it may not see. */
export function quietFrame(mark: Mark): string {
  return `:\n${markFrame(mark)}`;
}

/** An id without data is no event, and is kept by the client. */
function markFrame(mark: Mark): string {
  return `id: ${toEventId(mark)}\n\n`;
}

function eventFrame(mark: Mark, event: string, data: object): string {
  return `id: ${toEventId(mark)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

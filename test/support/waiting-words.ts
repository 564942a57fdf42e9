import type { Place } from './place.ts';

/** A query for the ids of the items whose words are not indexed yet. On SQLite the queue keeps indexed changes. */
export function waitingIn({ url }: Place): string {
  const queued = 'SELECT content_id FROM content_search_queue';
  return url.startsWith('sqlite:')
    ? `${queued} WHERE place > (SELECT coalesce(max(place), 0) FROM content_search_state)`
    : queued;
}

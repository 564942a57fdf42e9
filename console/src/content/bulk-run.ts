import { WalkError } from '@stoa/client';
import type { Results } from '../parts/bulk-run.ts';
import { failureText } from '../parts/failure.ts';
import { ask, onceKey } from './ask.ts';
import { filterOf, type ListView } from './list-query.ts';
import { stoa } from './shell.ts';

/** Operations that one request takes. */
const MOST = 100;
/** Failures that say something of one item. Any other would be the same for the next one. */
const OF_ITEM = new Set([400, 403, 404, 412]);

export type Action =
  | { readonly kind: 'delete' }
  | { readonly kind: 'visibility'; readonly value: 'public' | 'members' }
  | { readonly kind: 'category'; readonly value: string };

function operationOf(action: Action, id: number) {
  if (action.kind === 'delete') return { action: 'delete' as const, id };
  const change = action.kind === 'category' ? { category: action.value } : { visibility: action.value };
  return { action: 'update' as const, id, change };
}

/** The items that a view shows on all of its pages, found by a walk through the list. */
export function rowsOf(view: ListView, signal: AbortSignal): AsyncIterable<{ readonly id?: number }> {
  if (view.status === 'draft') return draftsOf(view, signal);
  return stoa.walk('listContent', { query: { ...filterOf(view), fields: 'id', per_page: 100 }, signal });
}

/** A list of drafts has pages only. */
async function* draftsOf(view: ListView, signal: AbortSignal): AsyncGenerator<{ id?: number }> {
  for (let page = 1; ; page++) {
    const query = { ...filterOf(view), status: 'draft' as const, fields: 'id', per_page: 100, page };
    const read = await ask('listContent', { query, signal });
    if (!read.ok) throw new WalkError(read);
    yield* read.data.items;
    if (read.data.items.length < 100) return;
  }
}

/**
 * Makes the action for each item, as many at once as the service takes. The service makes all operations of a request
 * or none, so an item that it refuses is left out, and the others are sent again. Where they are too large together,
 * fewer are sent at once from then on. Ends where the service takes no more for now.
 */
export async function runBulk(
  action: Action,
  ids: readonly number[],
  onStep: (results: Results) => void,
): Promise<Results> {
  let [done, most] = [0, MOST];
  const failed: { id: number; message: string }[] = [];
  const waiting = [...ids];
  while (waiting.length > 0) {
    const some = waiting.splice(0, most);
    const operations = some.map((id) => operationOf(action, id));
    const made = await ask('changeManyContent', { body: { operations }, idempotencyKey: onceKey() });
    if (made.ok) done += made.data.results.length;
    else {
      const { error, index = -1 } = made.error as { readonly error: string; readonly index?: number };
      const refused = some[index];
      const isOfItem = OF_ITEM.has(made.status) && error !== 'storage_full';
      if (error === 'limit_reached' && index > 0) {
        most = index;
        waiting.unshift(...some);
      } else if (refused !== undefined && isOfItem) {
        failed.push({ id: refused, message: failureText(made) });
        waiting.unshift(...some.filter((id) => id !== refused));
      } else return { done, failed, stopped: failureText(made) };
    }
    onStep({ done, failed: [...failed] });
  }
  return { done, failed };
}

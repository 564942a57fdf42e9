import type { Results } from '../parts/bulk-run.ts';
import { failureText } from '../parts/failure.ts';
import { ask, onceKey } from './ask.ts';
import { filterOf, type ListView } from './list-query.ts';
import { mayChange, stoa, text } from './shell.ts';

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

/**
 * The items that a view shows on all of its pages, found by a walk through the list. Those that the account may not
 * change are noted in `others`.
 */
export async function* rowsOf(
  view: ListView,
  others: Set<number>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly id?: number }> {
  const query = { ...filterOf(view), fields: 'id,author', per_page: 100 };
  for await (const item of stoa.walk('listContent', { query, signal })) {
    const { id, author } = item;
    if (id !== undefined && author && !mayChange(author.id)) others.add(id);
    yield item;
  }
}

/**
 * Makes the action for each item, as many at once as the service takes. The service makes all operations of a request
 * or none, so an item that it refuses is left out, and the others are sent again. Items of others are not sent at all,
 * because each refusal costs as many writes as its request has. Where they are too large together, fewer are sent at
 * once from then on. Ends where the service takes no more for now.
 */
export async function runBulk(
  action: Action,
  ids: readonly number[],
  others: ReadonlySet<number>,
  onStep: (results: Results) => void,
): Promise<Results> {
  let [done, most] = [0, MOST];
  const message = text('content.bulk.others');
  const failed = ids.filter((id) => others.has(id)).map((id) => ({ id, message }));
  const waiting = ids.filter((id) => !others.has(id));
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

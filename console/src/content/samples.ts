import { ask, onceKey } from './ask.ts';
import { keyOfSamples } from './has-samples.ts';

type NewItem = { readonly title: string; readonly content: string };

/** Makes the items, all or none. */
export async function makeSamples(items: readonly NewItem[]) {
  const operations = items.map((item) => ({ action: 'create' as const, item }));
  const made = await ask('changeManyContent', { body: { operations }, idempotencyKey: onceKey() });
  if (!made.ok) return made;
  keep(made.data.results.map(({ id }) => id));
  return undefined;
}

function keep(ids: readonly number[]): void {
  try {
    localStorage.setItem(keyOfSamples(), JSON.stringify(ids));
  } catch {
    // Without storage nobody is offered to remove them at once; they are items as all others.
  }
}

function kept(): readonly number[] {
  const ids: unknown = JSON.parse(localStorage.getItem(keyOfSamples()) ?? '[]');
  return Array.isArray(ids) ? ids.filter(Number.isInteger) : [];
}

/** Moves the samples that are still there to the trash, all or none. */
export async function removeSamples() {
  const ids = kept();
  const there = await Promise.all(
    ids.map((id) => ask('getContent', { path: { id }, query: { fields: 'id' } })),
  );
  // Only what is known to be gone is forgotten.
  const unread = there.find((read) => !read.ok && read.status !== 404);
  if (unread && !unread.ok) return unread;
  const operations = ids
    .filter((_, index) => there[index]?.ok)
    .map((id) => ({ action: 'delete' as const, id }));
  if (operations.length > 0) {
    const removed = await ask('changeManyContent', { body: { operations }, idempotencyKey: onceKey() });
    if (!removed.ok) return removed;
  }
  localStorage.removeItem(keyOfSamples());
  return undefined;
}

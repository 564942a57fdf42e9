import { Failure } from '../domain/failure.ts';
import type { Store } from '../store/store.ts';
import { type Imported, importItems, type ReadItem } from '../transfer/content/import.ts';

/**
 * Imports all items in one write. Where one of them is refused inside the write, nothing of it was made, and each item has
 * a write of its own. Fails as the store, but for what is the fault of an item.
 */
export async function importBatch(store: Store, items: readonly ReadItem[]): Promise<readonly Imported[]> {
  if (items.length === 0) return [];
  try {
    return await store.write(importItems, { items, now: Date.now() });
  } catch (error) {
    if (!(error instanceof Failure) || error.code >= 500) throw error;
    if (items.length === 1) return [{ refusal: error.message }];
    const results: Imported[] = [];
    for (const item of items) results.push(...(await importBatch(store, [item])));
    return results;
  }
}

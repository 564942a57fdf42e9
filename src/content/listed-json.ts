import type { Page } from '../domain/page.ts';
import { lruOf } from '../services/lru.ts';
import type { Store } from '../store/store.ts';
import type { ListedRow, ListedState } from './contract.ts';
import { readListed } from './list.ts';

/** Bytes of the whole cache. */
const CACHED = 16 * 1024 * 1024;
/** Bytes that an entry takes in addition to its JSON. */
const OVERHEAD = 512;
/** A longer JSON is not cached: it would take the place of many. */
const LONGEST = 64 * 1024;

/**
 * The JSON of items as lists show them, in bytes, made once for each state of an item. The key is the whole state, and
 * the state comes from the database at each request. So nobody has to tell the cache what any instance changed or hid.
 */
export class ListedJsonCache {
  readonly #cached = lruOf<Uint8Array>(CACHED, (json) => json.length + OVERHEAD);

  get(item: ListedState): Uint8Array | undefined {
    return this.#cached.get(keyOf(item));
  }

  /** Returns the JSON in bytes. */
  add(row: ListedRow, json: string): Uint8Array {
    // Not a `Buffer`: the small ones share their memory, and one that is cached would keep all of it.
    const bytes = new TextEncoder().encode(json);
    if (bytes.length <= LONGEST) this.#cached.set(keyOf(row), bytes);
    return bytes;
  }
}

function keyOf({ id, version, updated_at, is_cut, author_id, author_name }: ListedState): string {
  return `${id} ${version} ${updated_at} ${is_cut} ${author_id} ${author_name}`;
}

/** An item to be shown: its JSON where that is cached, else its row. */
export type Shown = Uint8Array | ListedRow;

/** The items of a page to be shown. Where one of them is neither cached nor a row, all are read with their texts. */
export async function shownItems(
  store: Store,
  cache: ListedJsonCache,
  { items, per_page }: Page<ListedState | ListedRow>,
): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const item of items) {
    const known = cache.get(item) ?? ('content' in item ? item : undefined);
    if (!known) {
      const { id } = items[0] ?? item;
      return store.read(readListed, { id, limit: items.length, perPage: per_page });
    }
    shown.push(known);
  }
  return shown;
}

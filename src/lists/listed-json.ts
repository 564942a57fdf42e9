import type { ListedRow, ListedState } from '../content/contract.ts';
import type { Reading } from '../domain/metrics.ts';
import { lruOf } from '../services/lru.ts';

/** Bytes of the whole cache. */
const CACHED = 16 * 1024 * 1024;
/** Bytes of an entry in addition to its JSON. */
const OVERHEAD = 512;
/** A longer JSON is not cached, because it would replace many others. */
const LONGEST = 64 * 1024;

/**
 * The JSON of items as lists show them, made once for each state of an item. The key is the whole state, which each
 * request reads from the database. So no change on any instance has to be reported to the cache.
 */
export class ListedJsonCache {
  readonly #cached = lruOf<Uint8Array>(CACHED, (json) => json.length + OVERHEAD);

  /** `key`: that of the state of the item. */
  get(key: string): Uint8Array | undefined {
    return this.#cached.get(key);
  }

  get readings(): readonly Reading[] {
    return this.#cached.readings('listed items');
  }

  add(row: ListedRow, json: string): Uint8Array {
    // Small `Buffer`s share memory, and a cached one would keep all of that memory.
    const bytes = new TextEncoder().encode(json);
    if (bytes.length <= LONGEST) this.#cached.set(keyOf(row), bytes);
    return bytes;
  }
}

/** Another text for each state that a list can show. */
export function keyOf(state: ListedState): string {
  const { id, version, updated_at, is_cut, slug, author_id, author_name } = state;
  return `${id} ${version} ${updated_at} ${is_cut} ${slug === null ? 0 : 1} ${author_id} ${author_name}`;
}

/** An item to show: its JSON if that is cached, else its row. */
export type Shown = Uint8Array | ListedRow;

/** The items of a page, whose states have these keys. Undefined if one of them is neither cached nor a row. */
export function shownItems(
  cache: ListedJsonCache | undefined,
  items: readonly (ListedState | ListedRow)[],
  keys: readonly string[],
): Shown[] | undefined {
  const shown: Shown[] = [];
  for (const [at, item] of items.entries()) {
    const known = cache?.get(keys[at] ?? '') ?? ('content' in item ? item : undefined);
    if (!known) return undefined;
    shown.push(known);
  }
  return shown;
}

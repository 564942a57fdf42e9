import { lruOf } from '../services/lru.ts';
import type { ListedRow, ListedState } from './contract.ts';

/** Bytes of all that is remembered, and what an entry takes beside its JSON. */
const REMEMBERED = 16 * 1024 * 1024;
const BESIDE = 512;
/** A longer JSON is not remembered: it would take the place of many. */
const LONGEST = 64 * 1024;

/**
 * The JSON of items as lists have them, in bytes, made once for each state of an item. The key has all of the state, so
 * what changes anywhere, in any instance, is never shown as it was. What is no longer listed is never asked for.
 */
export class ListedJson {
  readonly #made = lruOf<Uint8Array>(REMEMBERED, (json) => json.length + BESIDE);

  /** Undefined where it is not there. */
  of(item: ListedState): Uint8Array | undefined {
    return this.#made.get(keyOf(item));
  }

  /** Remembers the JSON of an item. */
  make(row: ListedRow, json: string): Uint8Array {
    // Bytes of their own: those of a small `Buffer` are a part of some that are shared, and would keep the others too.
    const bytes = new TextEncoder().encode(json);
    if (bytes.length <= LONGEST) this.#made.set(keyOf(row), bytes);
    return bytes;
  }
}

function keyOf({ id, version, updated_at, is_cut, author_id, author_name }: ListedState): string {
  return `${id} ${version} ${updated_at} ${is_cut} ${author_id} ${author_name}`;
}

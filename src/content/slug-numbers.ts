import type { LRUCache } from 'lru-cache';
import { lruOf } from '../services/lru.ts';
import type { Store } from '../store/store.ts';
import { numbered, slugOf } from './slug.ts';

/** Titles whose numbers are remembered. */
const TITLES = 10_000;

/**
 * The next number for titles that many items have, so that one more of them is one statement, as any other item. Only a
 * guess: the write that takes the slug decides, and another instance may have taken the number.
 */
const NEXT_NUMBERS = new WeakMap<Store, LRUCache<string, number>>();

/** A slug for a new item of this title, which is probably free. */
export function probableSlug(store: Store, title: string): string {
  const slug = slugOf(title);
  const numbers = NEXT_NUMBERS.get(store);
  const next = numbers?.get(slug);
  if (next === undefined) return slug;
  numbers?.set(slug, next + 1);
  return numbered(slug, next);
}

/** Notes which slug an item of this title got in the end. */
export function noteSlug(store: Store, title: string, given: string | null): void {
  const slug = slugOf(title);
  const number = Number(/-(\d+)$/.exec(given ?? '')?.[1]);
  if (given === null || given === slug || Number.isNaN(number)) return;
  const numbers = NEXT_NUMBERS.get(store) ?? lruOf<number>(TITLES);
  NEXT_NUMBERS.set(store, numbers);
  numbers.set(slug, Math.max(number + 1, numbers.get(slug) ?? 0));
}

import type { LRUCache } from 'lru-cache';
import { numbered, slugOf } from '../domain/slug.ts';
import type { Store } from '../store/store.ts';
import { lruOf } from './lru.ts';

/** Titles whose numbers are remembered. */
const TITLES = 10_000;
/** A guess that is wrong again within this time is wrong because another process takes the same numbers. */
const RIVAL_MS = 10_000;
/**
 * After a second wrong guess the next one leaves a gap of random length, longer with each. Two processes that both count
 * one by one would be wrong with each item, and each time a second write has to look for a free number.
 */
const GROWTH = 8;
const LONGEST_GAP = 4_096;

interface Guess {
  /** The number that is probably free. */
  next: number;
  /** The first number of these guesses. Lower ones were guessed before the last wrong one was known. */
  readonly from: number;
  /** Wrong ones, each within `RIVAL_MS` of the one before. */
  readonly wrong: number;
  /** When the last one was, by `performance.now()`. */
  readonly wrongAt: number;
}

/**
 * The next number for titles that many items have, so that one more of them is one statement, as any other item. Only a
 * guess: the write that takes the slug decides, and another process may have taken the number.
 */
const GUESSES = new WeakMap<Store, LRUCache<string, Guess>>();

/** A slug for a new item of this title, which is probably free. */
export function probableSlug(store: Store, title: string): string {
  const slug = slugOf(title);
  const guess = GUESSES.get(store)?.get(slug);
  return guess === undefined ? slug : numbered(slug, guess.next++);
}

/** Notes that the probable slug of a new item was taken, and which one the item got instead. */
export function noteTaken(store: Store, title: string, probable: string, given: string | null): void {
  const slug = slugOf(title);
  if (given === null || given === slug) return;
  const guesses = GUESSES.get(store) ?? lruOf<Guess>(TITLES);
  GUESSES.set(store, guesses);
  const guess = guesses.get(slug);
  const free = numberOf(slug, given);
  if (guess === undefined)
    guesses.set(slug, { next: free + 1, from: free + 1, wrong: 0, wrongAt: -Infinity });
  else if (numberOf(slug, probable) < guess.from) guess.next = Math.max(guess.next, free + 1);
  else guesses.set(slug, guessAfter(guess, free));
}

/**
 * What is guessed next, where a guess was wrong and this number was free. The number may be in an older gap, so it does not
 * tell how far others are.
 */
function guessAfter({ next, wrong: before, wrongAt }: Guess, free: number): Guess {
  const now = performance.now();
  const wrong = now - wrongAt < RIVAL_MS ? before + 1 : 1;
  const gap = Math.floor(Math.random() * Math.min(GROWTH ** (wrong - 1), LONGEST_GAP));
  const from = Math.max(next, free + 1) + gap;
  return { next: from, from, wrong, wrongAt: now };
}

/** 1 for the slug itself. */
function numberOf(slug: string, made: string): number {
  return made === slug ? 1 : Number(made.slice(slug.length + 1));
}

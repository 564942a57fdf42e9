import type { Rate } from '../../domain/limits.ts';

/**
 * A bucket is one number: the time at which it will be empty, in milliseconds since 1970. Each use moves that time by
 * `everyMs`, so no code has to drain the bucket (the generic cell rate algorithm).
 */
type Figures = Pick<Rate, 'most' | 'withinMs'>;

/** Milliseconds until one more is free. */
export function everyMs({ most, withinMs }: Figures): number {
  return withinMs / most;
}

/**
 * Uses at once may fill a bucket beyond its limit, because each instance learns of the others' only later. A bucket that
 * is full this many times over takes no more.
 */
export const FULLEST = 2;
/** A bucket that seems fuller was filled under a clock that was ahead, and counts as empty. */
const FARTHEST = 3;

/** A bucket that will be empty after this time, in milliseconds since 1970, counts as empty now. */
export function farthest(withinMs: number, now: number): number {
  return now + FARTHEST * withinMs;
}

/** How many are left. Below 1 none is. */
export function leftIn(rate: Figures, emptyAt: number, now: number): number {
  return Math.floor(rate.most - msUntilEmpty(rate, emptyAt, now) / everyMs(rate));
}

/** Whole seconds until one is left, or 0. */
export function secondsUntilFree(rate: Figures, emptyAt: number, now: number): number {
  const milliseconds = msUntilEmpty(rate, emptyAt, now) - (rate.most - 1) * everyMs(rate);
  return Math.max(0, Math.ceil(milliseconds / 1000));
}

function msUntilEmpty({ withinMs }: Figures, emptyAt: number, now: number): number {
  return emptyAt > farthest(withinMs, now) ? 0 : Math.max(0, emptyAt - now);
}

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

/** How many are left. Below 1 none is. */
export function leftIn(rate: Figures, emptyAt: number, now: number): number {
  return Math.floor(rate.most - Math.max(0, emptyAt - now) / everyMs(rate));
}

/** Whole seconds until one is left, or 0. */
export function secondsUntilFree(rate: Figures, emptyAt: number, now: number): number {
  return Math.max(0, Math.ceil((emptyAt - now - (rate.most - 1) * everyMs(rate)) / 1000));
}

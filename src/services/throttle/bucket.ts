/** How much is free at once, and how long it takes until one more is. */
export interface Bucket {
  readonly free: number;
  /** Milliseconds; a whole number where the database has the bucket. */
  readonly everyMs: number;
}

/**
 * What a bucket holds is one number: the time at which it will be empty, in milliseconds since 1970. Each use
 * puts that time off by `everyMs`, so nothing has to be done for it to drain (the "generic cell rate algorithm").
 */
export function freeIn({ free, everyMs }: Bucket, emptyAt: number, now: number): number {
  return Math.floor(free - Math.max(0, emptyAt - now) / everyMs);
}

/** Whole seconds until one more is free; 0 where one is. */
export function secondsUntilFree({ free, everyMs }: Bucket, emptyAt: number, now: number): number {
  return Math.max(0, Math.ceil((emptyAt - now - (free - 1) * everyMs) / 1000));
}

import type { TestContext } from 'node:test';

/** Random numbers from 0 to 1 that can be had again: `SEED=<the seed that the failed test printed>`. */
export function randomFrom(t: TestContext): () => number {
  let state = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31)) | 0;
  t.diagnostic(`SEED=${state}`);
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

import type { TestContext } from 'node:test';

/** Random numbers in [0, 1). STOA_TEST_SEED, with the seed that a failed test printed, gives the same numbers again. */
export function randomFrom(t: TestContext): () => number {
  let state = Number(process.env.STOA_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31)) | 0;
  t.diagnostic(`STOA_TEST_SEED=${state}`);
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Linux adds up the time of a thread this often; a shorter work may seem to take none. */
export const TICK_MS = 10;

/**
 * Milliseconds of a processor that this thread has used. The system guesses which part of them was its own, so only the
 * sum is exact, to TICK_MS.
 */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * The least processor time of a work, in so many rounds. What it does is the same in each; V8's compiling and collecting
 * of garbage is not, and took five times as long in one round of many.
 */
export async function leastTime(rounds: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await timeOf(work));
  return least;
}

/** The least processor time of each of two works, which take turns for so many rounds. */
export async function leastTimes(
  rounds: number,
  one: () => unknown,
  other: () => unknown,
): Promise<readonly [number, number]> {
  let [least, leastOfOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    least = Math.min(least, await timeOf(one));
    leastOfOther = Math.min(leastOfOther, await timeOf(other));
  }
  return [least, leastOfOther];
}

async function timeOf(work: () => unknown): Promise<number> {
  const from = processorTime();
  await work();
  return processorTime() - from;
}

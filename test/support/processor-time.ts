/**
 * Milliseconds of a processor that this thread has used. The system guesses which part of them was its own, so only the
 * sum is exact.
 */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

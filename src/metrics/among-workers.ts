import { METRICS, type Reading } from '../domain/metrics.ts';

/** The readings of several processes as those of one service: one for each metric and its labels. */
export function readingsOfAll(readings: readonly Reading[]): Reading[] {
  const groups = Map.groupBy(readings, ({ name, part, labels }) => JSON.stringify([name, part, labels]));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first
      ? [{ ...first, value: others.reduce((value, other) => joined(first, value, other.value), first.value) }]
      : [],
  );
}

/** Those that only grow. What an ended process has counted stays counted, or their sum would fall. */
export function counted(readings: readonly Reading[]): Reading[] {
  return readings.filter(({ name }) => METRICS[name].type !== 'gauge');
}

function joined({ name }: Reading, one: number, other: number): number {
  const metric = METRICS[name];
  const among = 'among' in metric ? metric.among : 'sum';
  if (among === 'least') return Math.min(one, other);
  return among === 'greatest' ? Math.max(one, other) : one + other;
}

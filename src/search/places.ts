/** Places of the queue from the first number to the second, both included. A list of ranges is in order. */
export type Range = readonly [from: number, to: number];

/** How many places the ranges have. */
export function placesIn(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/** The first `count` places, and the others. */
export function splitAfter(
  count: number,
  ranges: readonly Range[],
): readonly [first: Range[], others: Range[]] {
  const [first, others]: [Range[], Range[]] = [[], []];
  let room = count;
  for (const [from, to] of ranges) {
    const end = Math.min(to, from + room - 1);
    if (end >= from) first.push([from, end]);
    if (end < to) others.push([end + 1, to]);
    room -= end - from + 1;
  }
  return [first, others];
}

/** Ranges in order, with neighbours joined. If there are more than `most`, the smallest gaps are closed too. */
export function joined(ranges: readonly Range[], most: number): Range[] {
  const inOrder = ranges.toSorted(([one], [other]) => one - other);
  const gaps = inOrder.slice(1).map(([from], index) => from - (inOrder[index]?.[1] ?? 0) - 1);
  const closed = gaps.toSorted((one, other) => one - other)[gaps.length - most] ?? 0;
  const result: Range[] = [];
  for (const [from, to] of inOrder) {
    const before = result.at(-1);
    if (before && from - before[1] - 1 <= closed) result[result.length - 1] = [before[0], to];
    else result.push([from, to]);
  }
  return result;
}

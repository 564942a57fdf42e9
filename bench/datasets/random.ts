/** A small seeded generator (mulberry32), so that every run builds the same data: values in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks early entries far more often than late ones, as words and tags are used (Zipf's law). */
export function zipfPicker<Item>(items: readonly Item[], random: () => number): () => Item {
  const ends: number[] = [];
  let total = 0;
  for (const index of items.keys()) {
    total += 1 / (index + 2);
    ends.push(total);
  }
  return () => {
    const wanted = random() * total;
    let low = 0;
    let high = items.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return items[low] as Item;
  };
}

/**
 * Divides what is scarce among the sources that ask for it. A source may take more as long as it then has no
 * more than what is left free: one alone gets half of all, two get a third each, and whoever comes new finds something.
 */
export class Shares {
  readonly #taken = new Map<string, number>();
  #free: number;

  constructor(total: number) {
    this.#free = total;
  }

  /** False, and nothing is taken, where the source has its share. */
  take(source: string, amount = 1): boolean {
    const taken = (this.#taken.get(source) ?? 0) + amount;
    const free = this.#free - amount;
    if (taken > free) return false;
    this.#taken.set(source, taken);
    this.#free = free;
    return true;
  }

  /** Gives back what was taken. */
  give(source: string, amount = 1): void {
    const left = (this.#taken.get(source) ?? 0) - amount;
    if (left > 0) this.#taken.set(source, left);
    else this.#taken.delete(source);
    this.#free += amount;
  }
}

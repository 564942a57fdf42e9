/**
 * Divides a scarce resource among the sources that use it. A source may take more while it would then have no more than
 * what is left free. So a single source gets half of all, two get a third each, and a new one still finds some.
 */
export class Shares {
  readonly #taken = new Map<string, number>();
  readonly #total: number;
  #free: number;
  #refused = 0;

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  /** False, and nothing is taken, where the source has used its share. */
  take(source: string, amount = 1): boolean {
    const taken = this.#takenBy(source) + amount;
    const free = this.#free - amount;
    if (taken > free) {
      this.#refused++;
      return false;
    }
    this.#taken.set(source, taken);
    this.#free = free;
    return true;
  }

  /** Would the source get one after `giver` has given back one? Nothing is taken or given. */
  wouldTakeAfter(giver: string, source: string): boolean {
    return this.#takenBy(source) + (giver === source ? 0 : 1) <= this.#free;
  }

  /** What all sources have taken together. */
  get taken(): number {
    return this.#total - this.#free;
  }

  /** How many times a source got nothing. */
  get refused(): number {
    return this.#refused;
  }

  give(source: string, amount = 1): void {
    const left = this.#takenBy(source) - amount;
    if (left > 0) this.#taken.set(source, left);
    else this.#taken.delete(source);
    this.#free += amount;
  }

  #takenBy(source: string): number {
    return this.#taken.get(source) ?? 0;
  }
}

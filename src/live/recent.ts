import type { FeedChange } from '../services/changes/read.ts';

/** Some 300 bytes each. */
export const KEPT = 2_000;

/** The newest changes that were told, without holes. Listeners that come back find here what they missed. */
export class Recent {
  #changes: FeedChange[] = [];

  /** Begins with these, which follow one another. */
  begin(changes: readonly FeedChange[]): void {
    this.#changes = [...changes];
  }

  add(changes: readonly FeedChange[]): void {
    this.#changes.push(...changes);
    if (this.#changes.length > 2 * KEPT) this.#changes = this.#changes.slice(-KEPT);
  }

  /** The change with this number, if it is here. */
  find(number: number): FeedChange | undefined {
    return this.#changes[number - this.#first];
  }

  /** All changes after a number; undefined where some of them are not here any more. */
  after(number: number): readonly FeedChange[] | undefined {
    const from = number + 1 - this.#first;
    return from < 0 ? undefined : this.#changes.slice(from);
  }

  get #first(): number {
    return this.#changes[0]?.number ?? 1;
  }
}

/** Tells parts of one process that something has happened, which do not know of each other. */
export class Signal {
  readonly #listeners: (() => void)[] = [];

  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  send(): void {
    for (const listener of this.#listeners) listener();
  }
}

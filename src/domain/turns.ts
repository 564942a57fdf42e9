/** What waits, by who sent it: each sender has a turn before any has another. */
export class Turns<Item> {
  readonly #limit: number;
  /** The sender whose turn is next stands first. */
  readonly #bySender = new Map<string, Item[]>();
  length = 0;

  /** `limit` bounds what waits in all. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  countOf(sender: string): number {
    return this.#bySender.get(sender)?.length ?? 0;
  }

  /**
   * Returns the item that finds no room: this one, or one that waits behind many of its own sender. Where all is
   * full, the sender that has most gives up its last item to one that has fewer.
   */
  add(item: Item, sender: string): Item | undefined {
    const own = this.#bySender.get(sender) ?? [];
    const dropped = this.length < this.#limit ? undefined : this.#longest();
    if (dropped && own.length + 1 >= dropped.length) return item;
    own.push(item);
    this.#bySender.set(sender, own);
    this.length += dropped ? 0 : 1;
    return dropped?.pop();
  }

  /** The next item of the next sender that may have a turn now. */
  take(mayGo: (sender: string) => boolean = () => true): Item | undefined {
    for (const [sender, items] of this.#bySender) {
      if (!mayGo(sender)) continue;
      const item = items.shift();
      this.length--;
      this.#bySender.delete(sender);
      if (items.length > 0) this.#bySender.set(sender, items);
      return item;
    }
    return undefined;
  }

  /** Takes out an item that waits no longer. */
  remove(item: Item, sender: string): void {
    const items = this.#bySender.get(sender) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    this.length--;
    if (items.length === 0) this.#bySender.delete(sender);
  }

  #longest(): Item[] | undefined {
    let longest: Item[] | undefined;
    for (const items of this.#bySender.values())
      if (!longest || items.length > longest.length) longest = items;
    return longest;
  }
}

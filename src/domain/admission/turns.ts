interface Sender<Item> {
  readonly items: Item[];
  readonly group: string | undefined;
}

interface Line<Item> {
  /** Waiting items by sender. The first sender has the next turn. */
  readonly bySender: Map<string, Sender<Item>>;
  length: number;
}

/**
 * A queue by kind and by sender. Kinds take turns. Within a kind, each sender has a turn before any has another. So has
 * each group of senders, such as the accounts of one source.
 */
export class Turns<Kind extends string, Item> {
  readonly #limit: number;
  /** The first kind has the next turn. */
  readonly #lines: Map<Kind, Line<Item>>;

  /** `limit` is the most items that may wait of each kind. */
  constructor(kinds: readonly Kind[], limit: number) {
    this.#limit = limit;
    this.#lines = new Map(kinds.map((kind) => [kind, { bySender: new Map(), length: 0 }]));
  }

  get length(): number {
    return this.#lines.values().reduce((sum, { length }) => sum + length, 0);
  }

  lengthOf(kind: Kind): number {
    return this.#line(kind).length;
  }

  countOf(kind: Kind, sender: string): number {
    return this.#line(kind).bySender.get(sender)?.items.length ?? 0;
  }

  /**
   * Returns the item that finds no room: this one or another. When its kind is full, the sender with most items gives
   * up its last item to a sender with fewer.
   */
  add(kind: Kind, sender: string, item: Item, group?: string): Item | undefined {
    const line = this.#line(kind);
    const own = line.bySender.get(sender) ?? { items: [], group };
    const dropped = line.length < this.#limit ? undefined : longestOf(line);
    if (dropped && own.items.length + 1 >= dropped.length) return item;
    own.items.push(item);
    line.bySender.set(sender, own);
    line.length += dropped ? 0 : 1;
    return dropped?.pop();
  }

  /** The next item that `mayGo` allows, of the next kind and sender. It is asked for the first item of each sender. */
  take(mayGo: (item: Item) => boolean = () => true): Item | undefined {
    for (const kind of this.#lines.keys()) {
      const item = this.takeOf(kind, mayGo);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** The next item of this kind. */
  takeOf(kind: Kind, mayGo: (item: Item) => boolean = () => true): Item | undefined {
    const line = this.#line(kind);
    for (const [sender, { items, group }] of line.bySender) {
      const [item] = items;
      if (item === undefined || !mayGo(item)) continue;
      items.shift();
      line.length--;
      moveToEnd(this.#lines, kind, line);
      if (group !== undefined) moveGroupToEnd(line, group);
      if (items.length > 0) moveToEnd(line.bySender, sender, { items, group });
      else line.bySender.delete(sender);
      return item;
    }
    return undefined;
  }

  /** Removes an item that no longer waits. */
  remove(kind: Kind, sender: string, item: Item): void {
    const line = this.#line(kind);
    const items = line.bySender.get(sender)?.items ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    line.length--;
    if (items.length === 0) line.bySender.delete(sender);
  }

  #line(kind: Kind): Line<Item> {
    const line = this.#lines.get(kind);
    if (!line) throw new Error(`Nothing of the kind "${kind}" waits here.`);
    return line;
  }
}

function longestOf<Item>({ bySender }: Line<Item>): Item[] | undefined {
  const all = [...bySender.values()].map(({ items }) => items);
  return all.reduce((longest, items) => (items.length > longest.length ? items : longest));
}

/** Its senders keep their order. */
function moveGroupToEnd<Item>({ bySender }: Line<Item>, group: string): void {
  for (const [name, sender] of [...bySender]) if (sender.group === group) moveToEnd(bySender, name, sender);
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

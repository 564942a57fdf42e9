/** An item as its writer left it, or null when it was deleted. */
export type ItemState = { readonly version: number; readonly content: string } | null;

/** What the database may hold of one item: the acknowledged state, or that of the request under way. */
export interface Expected {
  readonly author: string;
  readonly title: string;
  acknowledged: ItemState;
  /** Undefined when every request about the item was answered. */
  pending: ItemState | undefined;
}

/** Everything that writers sent and what was acknowledged of it, across all crashes of one database. */
export class Ledger {
  /** By title, which is unique; an item whose creation was not acknowledged begins as null. */
  readonly items = new Map<string, Expected>();
  readonly accounts = new Set<string>();
  readonly acknowledged = { creates: 0, updates: 0, deletes: 0, registrations: 0, refreshes: 0 };
  #made = 0;

  /** A number that no other item or account of this database has. */
  nextNumber(): number {
    return this.#made++;
  }

  /** Notes a request about the item. The returned function notes that the request was acknowledged. */
  sending(item: Expected, next: ItemState): () => void {
    this.items.set(item.title, item);
    item.pending = next;
    return () => {
      item.acknowledged = next;
      item.pending = undefined;
    };
  }

  /** How many requests were acknowledged. */
  get total(): number {
    return Object.values(this.acknowledged).reduce((sum, count) => sum + count, 0);
  }

  registered(username: string): void {
    this.accounts.add(username);
  }
}

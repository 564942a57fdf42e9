/**
 * A table as the database itself describes it, whatever this version knows of it. Search indexes are tables
 * too; views hold nothing and are none.
 */
export interface LiveTable {
  readonly name: string;
  /** In the order of the table; without those that the database computes from others. */
  readonly columns: readonly LiveColumn[];
  /** The columns of the primary key, in its order; empty where there is none. */
  readonly key: readonly string[];
  /** Whether the database gives its ids, and none of them twice. */
  readonly isNumbered: boolean;
}

export interface LiveColumn {
  readonly name: string;
  /** "text" and "integer" are the same on both engines; any other type has the name that its engine gives it. */
  readonly type: string;
}

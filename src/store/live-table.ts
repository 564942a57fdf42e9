/**
 * A table as the database itself describes it, whether or not this version of Stoa knows the table. A search
 * index of SQLite is a table too. A view is not, because it holds no rows.
 */
export interface LiveTable {
  readonly name: string;
  /** In the order of the table, without computed columns. */
  readonly columns: readonly LiveColumn[];
  /** The columns of the primary key, in its order; empty where there is none. */
  readonly key: readonly string[];
  /** Whether the database gives out the ids of the table, and no id twice. */
  readonly isNumbered: boolean;
}

export interface LiveColumn {
  readonly name: string;
  /** "text" and "integer" mean the same on both engines. Any other type has the name that its engine uses. */
  readonly type: string;
}

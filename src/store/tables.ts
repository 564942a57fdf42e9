import type { Kysely } from 'kysely';

/**
 * The tables as types, the same on both engines. Each feature merges its own into this interface, in its
 * `tables.ts`. Times are milliseconds since 1970 (UTC). The reason for a column stands in src/schema.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the store itself knows no table.
export interface Tables {}

export type Db = Kysely<Tables>;

/** What a feature says of its tables beside their types. Every table of the schema is in one of the lists. */
export interface FeatureTables {
  /** Copied and proved by a move, row by row; parents before children. */
  readonly carried: readonly string[];
  /**
   * Not copied: triggers and jobs make them from the carried tables, or they are about one database alone. Some
   * exist on one engine only.
   */
  readonly derived: readonly string[];
  /** The carried tables whose visible rows triggers count (store/counts.ts). */
  readonly counted?: readonly string[];
  /** Columns whose text is sealed under the key outside the database (services/sealing). */
  readonly sealed?: readonly SealedColumn[];
}

export interface SealedColumn {
  readonly table: string;
  /** The name of the column that is the primary key. */
  readonly row: string;
  readonly column: string;
  /** True where versions before sealing stored it in the clear: a start looks for such texts. */
  readonly wasClear?: boolean;
}

/** The tables and views that hold the counts of a table, on either engine (src/schema/baseline/counts.ts). */
export function countsOf(table: string): string[] {
  const onBoth = [`${table}_buckets`, `${table}_total`];
  return [...onBoth, `${table}_bucket_sums`, `${table}_bucket_sums_total`, `${table}_bucket_changes`];
}

import type { Kysely } from 'kysely';

/**
 * The tables as types, the same on both engines. Each feature merges its own into this interface, in its `tables.ts`.
 * Times are milliseconds since 1970 (UTC). The reason for a column is in src/schema.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the store itself knows no table.
export interface Tables {}

export type Db = Kysely<Tables>;

/**
 * What a feature declares about its tables in addition to their types. Every table of the schema is in one of the
 * lists.
 */
export interface FeatureTables {
  /** A move copies and compares these row by row. Parents are before children. */
  readonly carried: readonly string[];
  /**
   * Not copied: triggers and jobs make them from the carried tables, or they describe only one database. Some exist on
   * one engine only.
   */
  readonly derived: readonly string[];
  /** The carried tables whose visible rows triggers count (store/counts.ts). */
  readonly counted?: readonly string[];
  /** Which rows a job removes, and when (services/expiry.ts). */
  readonly expires?: readonly Expiry[];
}

/** The settings in days after which rows expire, by their names in the configuration. Features merge theirs. */
// biome-ignore lint/suspicious/noEmptyInterface: the store itself knows no setting.
export interface DaysOfSettings {}

/** Rows that are removed some time after the time in one of their columns. */
export interface Expiry {
  readonly table: string;
  /** The name of the primary key column. */
  readonly key: string;
  /** The column with the time. It is the first of an index. */
  readonly column: string;
  /** How long a row is kept after that time: milliseconds, or the name of such a setting. */
  readonly after: number | keyof DaysOfSettings;
  /** Only rows that are null in this column expire. */
  readonly unset?: string;
  /** The most rows of the table. Beyond it, those with the earliest times are removed early. */
  readonly most?: number;
}

/** The tables and views with the counts of a table, on either engine (src/schema/baseline/counts.ts). */
export function countsOf(table: string): string[] {
  const onBoth = [`${table}_buckets`, `${table}_total`];
  return [...onBoth, `${table}_bucket_sums`, `${table}_bucket_sums_total`, `${table}_bucket_changes`];
}

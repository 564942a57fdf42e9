import type { Dataset } from './datasets/datasets.ts';

/** A database with a copy of a dataset for one row. No other row sees its changes. */
export interface Prepared {
  /** The settings with which a service uses this database. */
  readonly settings: Readonly<Record<string, string>>;
  readonly release: () => Promise<void>;
}

/** A kind of database for measurements. */
export interface Target {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Builds the missing datasets, and reports that on stderr. */
  build(datasets: readonly Dataset[]): Promise<void>;
  /** A copy of a built dataset. */
  prepare(dataset: Dataset): Promise<Prepared>;
  /** An empty database. */
  prepareEmpty(): Promise<Prepared>;
  /** Lines for the report on how fast the database is without the service. */
  describe(): Promise<readonly string[]>;
}

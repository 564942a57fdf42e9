import type { Dataset } from './datasets/datasets.ts';

/** A database that a dataset is in, for one row: its changes are the row's own. */
export interface Prepared {
  /** The settings that lead the service there. */
  readonly settings: Readonly<Record<string, string>>;
  readonly release: () => Promise<void>;
}

/** A kind of database to measure the service on. The rows are the same for each. */
export interface Target {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Builds what is missing of these datasets, once for many runs; says on stderr what it does. */
  build(datasets: readonly Dataset[]): Promise<void>;
  /** A dataset that was built. */
  prepare(dataset: Dataset): Promise<Prepared>;
  /** An empty database. */
  prepareEmpty(): Promise<Prepared>;
  /** What the database does by itself, for the report: a line for each of its own measurements. */
  describe(): Promise<readonly string[]>;
}

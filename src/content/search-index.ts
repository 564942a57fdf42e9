import type { Term } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';

/** What the engines do differently: how an index of words is asked. */
export interface ContentSearch {
  /** Comes before `matching` in the same transaction. */
  prepare?(db: Db): Promise<void>;
  /** Visible items that have all of the terms; at least one is needed. */
  matching(terms: readonly Term[]): IdSet;
}

export interface TextOfItem {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

import type { Term } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';

/** What the engines do differently: how an index of words is asked and filled. */
export interface ContentSearch {
  /** Visible items that have all of the terms; at least one is needed. */
  matching(terms: readonly Term[]): IdSet;
  /** Puts the words of items into the index, in place of those that they had there. */
  put(db: Db, items: readonly TextOfItem[]): Promise<void>;
}

export interface TextOfItem {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

import type { Term } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** What the engines do differently: how an index of words is asked, filled and kept. */
export interface ContentSearch {
  /** Comes before `matching` in the same transaction. */
  prepare?(db: Db): Promise<void>;
  /** Visible items that have all of the terms; at least one is needed. */
  matching(terms: readonly Term[]): IdSet;
  /** Indexes some of what waits, oldest first. Resolves with true while more is waiting. */
  indexSome(db: Db, engine: Engine): Promise<boolean>;
  progress(db: Db): Promise<IndexProgress>;
  /** Does a step of what keeps the index in order. Resolves with true while there is more of it. */
  tidy(db: Db, engine: Engine): Promise<boolean>;
}

/** How far the index has come. Changes of items are numbered by their places in the queue. */
export interface IndexProgress {
  /** The place of the newest change; 0 where there was none. */
  readonly last: number;
  /** Each change up to this place is indexed. */
  readonly indexed: number;
  /** The oldest place in the queue; beyond every place where the queue is empty. */
  readonly oldest: number;
  /** How many changes and items are not indexed, about. */
  readonly waiting: number;
  /** False where the index is of another database, or of another state of this one: then all items are indexed again. */
  readonly isOwn: boolean;
  /** True where `tidy` may have work to do. */
  readonly isUntidy: boolean;
}

export interface TextOfItem {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

import type { Term } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** What differs between the engines: querying, filling and tidying the index of words. */
export interface ContentSearch {
  /**
   * Called before `matching`, in the same transaction, and before a list reads an order or a range of time, so that the
   * engine reads their indexes and not all rows.
   */
  prepare?(db: Db): Promise<void>;
  /** Visible items that have all of the terms, all in their title if `where` is that. At least one term is needed. */
  matching(terms: readonly Term[], where: 'words' | 'title'): IdSet;
  /** Indexes some of the waiting changes. Resolves with true while more wait. */
  indexSome(db: Db, engine: Engine, order: RoundOrder): Promise<boolean>;
  /** The places of the changes that a round of turns would take now. */
  nextTurns(db: Db): Promise<readonly number[]>;
  progress(db: Db): Promise<IndexProgress>;
  /** True if `tidy` may have work to do. */
  isUntidy(db: Db): Promise<boolean>;
  /** Tidies one part of the index. Resolves with true while more is left to do. */
  tidy(db: Db, engine: Engine): Promise<boolean>;
}

/** Do the authors of the waiting changes take turns (in-turns.ts), or do the oldest changes come first? */
export type RoundOrder = 'turns' | 'arrival';

/** How far the index has come. A change of an item is numbered by its place in the queue. */
export interface IndexProgress {
  /** The place of the newest change. 0 if there was none. */
  readonly last: number;
  /** All changes up to this place are indexed. */
  readonly indexed: number;
  /** The oldest place in the queue. Beyond every place if the queue is empty. */
  readonly oldest: number;
  /** How many changes and items are not indexed. An upper bound where they are very many. */
  readonly waiting: number;
  /**
   * False if the index belongs to another database, or to another state of this one. All items are then indexed again.
   */
  readonly isOwn: boolean;
}

import type { Selectable } from 'kysely';
import type { PageRequest } from '../domain/page.ts';
import type { IdPage, IdSet } from './id-set.ts';
import type { Db, Tables } from './tables.ts';

/** What an instance may remember of the database and has to forget: one session, or all that it remembers. */
export type Change = 'anything' | { readonly session: string };

/**
 * What the two engines truly do differently inside an operation: search, and what
 * concerns other instances. Everything else is written once for both.
 * Keywords come folded (domain/text.ts) and are not empty.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** All users whose name or e-mail key contains the keyword. */
  usersMatching(db: Db, keyword: string): Promise<IdSet>;
  /** All content items whose folded title or content contains the keyword. */
  contentMatching(db: Db, keyword: string): Promise<IdSet>;
  /** All content items that have all of the labels. */
  contentLabelled(labels: Labelled): IdSet;
  /** One page of a set, by id, and the exact number of what is in it. */
  pageOfIds(db: Db, ids: IdSet, page: PageRequest): Promise<IdPage>;
  /** What a creation adds to the row, for a row that a move has copied. */
  contentCopied?(db: Db, item: SearchableContent & Pick<Labels, 'tags'>): Promise<void>;
  /** Keeps filters exact; called inside the write that changed labels, or deletes the item: then without `after`. */
  contentRelabelled(db: Db, id: number, before: Labels, after: Labels | undefined): Promise<void>;
  /** Keeps the search exact; called inside the write that changed the text. */
  contentChanged(db: Db, item: SearchableContent): Promise<void>;
  /** Does some of the indexing that creations and changes put off. True when more is waiting. */
  indexContent(db: Db): Promise<boolean>;
  /** Tells all instances when the write that calls it commits (`Store.onChange`). */
  announce(db: Db, change: Change): Promise<void>;
  /** Waits until no other write holds this name, and holds it until the write that asks ends. */
  lock(db: Db, name: string): Promise<void>;
}

/** One of the things that items are filtered by. */
export type Label =
  | { readonly kind: 'author'; readonly value: number }
  | { readonly kind: 'category' | 'tag'; readonly value: string };

/** At least one, the rarest first where that is known. */
export type Labelled = readonly [Label, ...Label[]];

/** All labels of an item, as its row has them: the tags as JSON, and no category is the empty text. */
export type Labels = Pick<Selectable<Tables['content']>, 'author_id' | 'category' | 'tags'>;

export interface SearchableContent {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

/**
 * A named unit of work against the database: it checks its rule and makes its change together, so
 * that no rule is decided on stale data. Input and output are plain data, because an operation may
 * run in another thread. It fails by throwing a Failure (told to the client, nothing is changed) or
 * anything else (a fault of ours, nothing is changed).
 */
export interface Operation<Kind extends 'read' | 'write', Input, Output> {
  readonly kind: Kind;
  readonly name: string;
  readonly run: (db: Db, input: Input, engine: Engine) => Promise<Output>;
  /** True when this input can take more than a millisecond: it then runs beside the HTTP thread. */
  readonly isLong: (input: Input) => boolean;
  /** True when a run is never more than one statement on PostgreSQL: it then needs no transaction around it. */
  readonly isOneStatement: boolean;
}

export type ReadOperation<Input, Output> = Operation<'read', Input, Output>;
export type WriteOperation<Input, Output> = Operation<'write', Input, Output>;
type Run<Input, Output> = Operation<'read', Input, Output>['run'];

export function readOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  isLong: (input: Input) => boolean = () => false,
): ReadOperation<Input, Output> {
  return { kind: 'read', name, run, isLong, isOneStatement: false };
}

export function writeOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  { isOneStatement = false } = {},
): WriteOperation<Input, Output> {
  return { kind: 'write', name, run, isLong: () => true, isOneStatement };
}

import { readOperation } from '../../store/operation.ts';
import { atMost, statement } from '../../store/statement.ts';
import type { Db, Tables } from '../../store/tables.ts';

/** A committed change. */
export type FeedChange = Tables['changes'];

interface Request {
  /** The number of the last change that the reader has read; 0 for none. */
  readonly after: number;
  readonly limit: number;
}

/** What a reader gets. */
export interface FeedPage {
  /** In the order of their numbers, the oldest first. Empty if there is nothing new, or a gap. */
  readonly changes: readonly FeedChange[];
  /**
   * Set if changes after `after` were removed before this reader came, or if the database does not know `after`. The
   * reader goes on after this number, and knows that it has missed something.
   */
  readonly goOnAfter?: number;
}

const changesAfter = statement((db, { after, limit }: Request) =>
  db.selectFrom('changes').selectAll().where('number', '>', after).orderBy('number').limit(atMost(limit)),
);
const newest = statement((db) => db.selectFrom('changes').select((eb) => eb.fn.max('number').as('number')));

/** The number of the newest change; 0 if there was none. */
export async function newestNumber(db: Db): Promise<number> {
  return (await newest(db, {}))[0]?.number ?? 0;
}

const newestChanges = statement((db, { limit }: Pick<Request, 'limit'>) =>
  db.selectFrom('changes').selectAll().orderBy('number', 'desc').limit(atMost(limit)),
);

/** The newest changes that follow one another, in the order of their numbers. */
export const readNewest = readOperation(
  'changes.read_newest',
  async (db, request: Pick<Request, 'limit'>): Promise<FeedChange[]> => {
    const changes = await newestChanges(db, request);
    return inARow(changes, (index) => (changes[0]?.number ?? 0) - index).reverse();
  },
);

/** The changes before the first one that has not the number of its place. */
function inARow(changes: FeedChange[], numberAt: (index: number) => number): FeedChange[] {
  const hole = changes.findIndex(({ number }, index) => number !== numberAt(index));
  return hole === -1 ? changes : changes.slice(0, hole);
}

/**
 * Reads the next changes of the feed. Numbers have no holes but that of a restore, where a page ends, and only the oldest
 * changes are removed. So a reader that calls this with the last number of the page before sees each change once, and
 * each gap.
 */
export const readChanges = readOperation('changes.read', async (db, request: Request): Promise<FeedPage> => {
  const { after } = request;
  const found = await changesAfter(db, request);
  const changes = inARow(found, (index) => after + 1 + index);
  const [first] = found;
  if (first) return changes.length > 0 ? { changes } : { changes, goOnAfter: first.number - 1 };
  const last = await newestNumber(db);
  // An older copy of the database was put back, or the reader comes from another database. A change that was made
  // between the two statements is found by the next read.
  return after > last ? { changes, goOnAfter: last } : { changes };
});

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

/** The newest changes, in the order of their numbers. */
export const readNewest = readOperation(
  'changes.read_newest',
  async (db, request: Pick<Request, 'limit'>): Promise<FeedChange[]> =>
    (await newestChanges(db, request)).reverse(),
);

/**
 * Reads the next changes of the feed. Numbers have no holes, and only the oldest changes are removed. So a reader that
 * calls this with the last number of the page before sees each change once, and each gap.
 */
export const readChanges = readOperation('changes.read', async (db, request: Request): Promise<FeedPage> => {
  const { after } = request;
  const changes = await changesAfter(db, request);
  const [first] = changes;
  if (first) return first.number === after + 1 ? { changes } : { changes: [], goOnAfter: first.number - 1 };
  const last = await newestNumber(db);
  // An older copy of the database was put back, or the reader comes from another database. A change that was made
  // between the two statements is found by the next read.
  return after > last ? { changes, goOnAfter: last } : { changes };
});

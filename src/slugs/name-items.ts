import { sql } from 'kysely';
import { claimFreeSlug } from '../content/slug-claim.ts';
import type { Job } from '../domain/jobs.ts';
import { slugOf } from '../domain/slug.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import type { NamingState } from './check-contract.ts';

/** One write names this many items, with about so many bytes of text: SQLite writes a whole row anew. */
const ITEMS = 50;
const BYTES = 1024 * 1024;

function selectUnnamed(db: Db) {
  return db.selectFrom('content').select('id').where('slug', 'is', null).orderBy('id');
}

/** The first item without a slug; undefined if all have one. */
export const firstUnnamed = readOperation(
  'slugs.first_unnamed',
  async (db, _: null): Promise<number | undefined> =>
    (await selectUnnamed(db).limit(1).executeTakeFirst())?.id,
);

/** Gives some of the items that are older than slugs theirs. Their versions stay as they are. */
export const nameItems = writeOperation(
  'slugs.name_items',
  async (db, _: null, engine): Promise<void> => {
    await engine.lock(db, 'naming items');
    const items = await selectUnnamed(db)
      .select(['title', sql<number>`octet_length(content)`.as('bytes')])
      .limit(ITEMS)
      .forUpdate()
      .execute();
    for (const { id, title } of rowsWithin(items, BYTES)) {
      const slug = await claimFreeSlug(db, engine, slugOf(title));
      if (slug !== undefined) await db.updateTable('content').set({ slug }).where('id', '=', id).execute();
    }
  },
  { isBackground: true },
);

/** The job, and whether it has work: undefined before its first run. */
export function namingJob(store: Store): {
  readonly job: Job;
  readonly state: () => NamingState | undefined;
} {
  let state: NamingState | undefined;
  const run = async (): Promise<boolean> => {
    const isNaming = (await store.read(firstUnnamed, null)) !== undefined;
    state = isNaming ? 'naming' : 'ok';
    if (isNaming) await store.write(nameItems, null);
    return isNaming;
  };
  return { job: { name: 'naming items', every: MINUTE_MS, run }, state: () => state };
}

import { sql } from 'kysely';
import { type HistoryRequest, requireHistory, selectHistory, type VersionState } from '../content/history.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { inTimeOn } from '../store/deadline.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { countThenPage } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';

/** The versions of an item, the present one first. Fails with `not_found` or `forbidden`. */
export const listVersions = readOperation(
  'versions.list',
  async (
    db,
    { id, userId, ...request }: HistoryRequest & PageRequest,
    engine,
  ): Promise<Page<VersionState>> => {
    await requireHistory(db, { id, userId });
    const numbers = selectNumbers(db, id, engine);
    return countThenPage(request, numbers, async (offset) => {
      const page = await numbers
        .select('version')
        .orderBy('version', 'desc')
        .limit(request.per_page)
        .offset(offset)
        .execute();
      return selectHistory(db, id)
        .where(
          'history.version',
          'in',
          page.map(({ version }) => version),
        )
        .orderBy('history.version', 'desc')
        .execute();
    });
  },
  // There may be as many as an account may write in 30 days.
  () => true,
);

/** The numbers of all versions: an index has them, so that counting and skipping them reads no version. */
function selectNumbers(db: Db, id: number, engine: Engine) {
  const present = db.selectFrom('content').select('version').where('id', '=', id);
  const earlier = db
    .selectFrom('content_versions')
    .select('version')
    .where('content_id', '=', id)
    .where(inTimeOn(engine, sql`version`));
  return db.selectFrom(present.unionAll(earlier).as('numbers'));
}

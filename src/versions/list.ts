import { type HistoryRequest, requireHistory, selectHistory, type VersionState } from '../content/history.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { readOperation } from '../store/operation.ts';
import { pageOf } from '../store/pages.ts';

/** The versions of an item, the present one first. Fails with `not_found` or `forbidden`. */
export const listVersions = readOperation(
  'versions.list',
  async (db, { id, userId, page, per_page }: HistoryRequest & PageRequest): Promise<Page<VersionState>> => {
    await requireHistory(db, { id, userId });
    return pageOf(selectHistory(db, id).orderBy('history.version', 'desc'), { page, per_page });
  },
  // There may be as many as an account may write in 30 days.
  () => true,
);

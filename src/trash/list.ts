import { sql } from 'kysely';
import type { ListedRow } from '../content/contract.ts';
import { shareOf } from '../content/excerpt.ts';
import { SHORT_COLUMNS } from '../content/find.ts';
import { textWithin } from '../content/text-within.ts';
import { moderatesContent } from '../domain/account.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { inTimeOn } from '../store/deadline.ts';
import { readOperation } from '../store/operation.ts';
import { countThenPage } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import { selectTrash } from './find.ts';

export interface TrashedRow extends ListedRow {
  /** Milliseconds since 1970. */
  readonly trashed_at: number;
  readonly trashed_by_id: number;
  readonly trashed_by_name: string;
}

interface TrashRequest extends PageRequest {
  readonly userId: number;
}

/**
 * A page of the trash, what came last first: the items of the account, or those of all for editors and admins. The texts
 * are as in a list of content.
 */
export const listTrash = readOperation(
  'trash.list',
  async (db, { userId, ...request }: TrashRequest, engine): Promise<Page<TrashedRow>> => {
    const account = await db.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst();
    const isForAll = account !== undefined && moderatesContent(account.role);
    const matching = selectTrash(db)
      .where(inTimeOn(engine, sql`content.id`))
      .$if(!isForAll, (query) => query.where('content.author_id', '=', userId));
    return countThenPage(request, matching, async (offset) => {
      const ids = await matching
        .select('content.id')
        .orderBy('content.trashed_at', 'desc')
        .orderBy('content.id', 'desc')
        .limit(request.per_page)
        .offset(offset)
        .execute();
      return selectRows(
        db,
        ids.map(({ id }) => id),
        shareOf(request.per_page),
      );
    });
  },
  () => true,
);

/** Where nobody else moved an item there, its author did. */
function selectRows(db: Db, ids: readonly number[], share: number): Promise<TrashedRow[]> {
  return selectTrash(db)
    .innerJoin('users', 'users.id', 'content.author_id')
    .innerJoin('users as trasher', (join) =>
      join.on((eb) => eb('trasher.id', '=', eb.fn.coalesce('content.trashed_by', 'content.author_id'))),
    )
    .select([...SHORT_COLUMNS, 'users.username as author_name', ...textWithin(share)])
    .select(['content.trashed_at', 'trasher.id as trashed_by_id', 'trasher.username as trashed_by_name'])
    .$narrowType<{ trashed_at: number }>()
    .where('content.id', 'in', ids)
    .orderBy('content.trashed_at', 'desc')
    .orderBy('content.id', 'desc')
    .execute();
}

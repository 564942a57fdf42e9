import { USER_COLUMNS, type UserRow } from '../accounts/tables.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { countedTable } from '../store/counts.ts';
import { pageOfIds } from '../store/id-set.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { usersMatching } from './search.ts';

export interface UserQuery extends PageRequest {
  /** Empty means everybody. */
  readonly keyword: string;
}

const counted = countedTable('users');

/** Visible users by id; with a keyword, those whose name or e-mail contains it, whatever the case. */
export const listUsers = readOperation(
  'users.list',
  async (db, query: UserQuery, engine): Promise<Page<UserRow>> => {
    const { page, per_page } = query;
    const { items, total } =
      query.keyword === ''
        ? await counted.page(db, query, usersFrom, engine)
        : await matching(db, query, engine);
    return { items, total, page, per_page };
  },
  ({ keyword }) => keyword !== '',
);

const usersFrom = statement((db, from: { id: number; limit: number; offset: number }) =>
  db
    .selectFrom('visible_users')
    .select(USER_COLUMNS)
    .where('id', '>=', from.id)
    .orderBy('id')
    .limit(atMost(from.limit))
    .offset(from.offset),
);

async function matching(db: Db, query: UserQuery, engine: Engine) {
  const { ids, total } = await pageOfIds(db, usersMatching(query.keyword, engine), query);
  if (ids.length === 0) return { items: [], total };
  const items = await db
    .selectFrom('visible_users')
    .select(USER_COLUMNS)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  return { items, total };
}

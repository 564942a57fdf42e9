import type { Page, PageRequest, Walk, WalkRequest } from '../domain/page.ts';
import { countedTable } from '../store/counts.ts';
import { pageOfIds, walkOfIds } from '../store/id-set.ts';
import { readOperation } from '../store/operation.ts';
import { walkOf } from '../store/pages.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { usersMatching } from './search.ts';
import { USER_COLUMNS, type UserRow } from './tables.ts';

export interface UserQuery extends PageRequest {
  /** Empty means everybody. */
  readonly keyword: string;
}

const counted = countedTable('users');
/** About the bytes of a row of a list. */
const USER_BYTES = 512;

/** Visible users by id; with a keyword, those whose name or e-mail contains it, whatever the case. */
export const listUsers = readOperation(
  'accounts.list',
  (db, query: UserQuery, engine): Promise<Page<UserRow>> =>
    query.keyword === ''
      ? counted.page(db, query, usersFrom, engine)
      : pageOfIds(db, usersMatching(query.keyword, engine), query, (ids) => usersOf(db, ids), engine),
  ({ keyword }) => keyword !== '',
  ({ items }) => items.length * USER_BYTES,
);

/** The next users of the same list by id. */
export const walkUsers = readOperation(
  'accounts.walk',
  (db, query: WalkRequest & { readonly keyword: string }, engine): Promise<Walk<UserRow>> =>
    query.keyword === ''
      ? walkOf(query, ({ after, limit }) => usersFrom(db, { id: after + 1, offset: 0, limit }))
      : walkOfIds(db, usersMatching(query.keyword, engine), query, (ids) => usersOf(db, ids)),
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

function usersOf(db: Db, ids: readonly number[]): Promise<UserRow[]> {
  return db.selectFrom('visible_users').select(USER_COLUMNS).where('id', 'in', ids).orderBy('id').execute();
}

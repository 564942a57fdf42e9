import { foldKey } from '../domain/text.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import { usersMatching as onPostgres } from './search.postgres.ts';
import { usersMatching as onSqlite } from './search.sqlite.ts';

/**
 * Visible users whose name or e-mail address contains the keyword, whatever the case
 * (docs/decisions/lists-and-search.md).
 */
export function usersMatching(keyword: string, { name }: Pick<Engine, 'name'>): IdSet {
  return (name === 'sqlite' ? onSqlite : onPostgres)(foldKey(keyword));
}

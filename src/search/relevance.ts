import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { mostRelevant as onPostgres } from './relevance.postgres.ts';
import { mostRelevant as onSqlite } from './relevance.sqlite.ts';

/**
 * A page of the items that match a keyword, by their ids, and the exact total. `sets` are those whose title has its words
 * in a row, those whose title has all of them, and all: each one is a part of the next, and comes before the rest of it.
 * Within that, the greatest id is first.
 */
export async function pageByRelevance(
  db: Db,
  sets: readonly IdSet[],
  request: PageRequest,
  { name }: Pick<Engine, 'name'>,
): Promise<Page<number>> {
  const { page, per_page } = request;
  const found = await (name === 'sqlite' ? onSqlite : onPostgres)(db, sets, per_page, offsetOf(request));
  return { ...found, page, per_page };
}

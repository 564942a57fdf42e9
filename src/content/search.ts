import { sql } from 'kysely';
import { termsOf } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import { postgresSearch } from './search.postgres.ts';
import { sqliteSearch } from './search.sqlite.ts';
import type { ContentSearch } from './search-index.ts';

const SEARCHES: Record<Engine['name'], ContentSearch> = { sqlite: sqliteSearch, postgres: postgresSearch };

/** Visible items that match the keyword (domain/words.ts). None if the keyword has no word. */
export function contentMatching(keyword: string, engine: Pick<Engine, 'name'>): IdSet {
  const terms = termsOf(keyword);
  if (terms.length === 0) return sql`select id from content where false`;
  return searchOn(engine).matching(terms);
}

export function searchOn({ name }: Pick<Engine, 'name'>): ContentSearch {
  return SEARCHES[name];
}

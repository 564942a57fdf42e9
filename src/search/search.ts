import { sql } from 'kysely';
import { phraseOf, termsOf } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import { postgresSearch } from './search.postgres.ts';
import { sqliteSearch } from './search.sqlite.ts';
import type { ContentSearch } from './search-index.ts';

const SEARCHES: Record<Engine['name'], ContentSearch> = { sqlite: sqliteSearch, postgres: postgresSearch };

/** How an item matches a keyword: it has all words, its title has them, or its title has them in a row. */
export type Matched = 'words' | 'words in the title' | 'phrase in the title';

/** Visible items that match the keyword in this way (domain/words.ts). None if the keyword has no word. */
export function contentMatching(
  keyword: string,
  engine: Pick<Engine, 'name'>,
  matched: Matched = 'words',
): IdSet {
  const terms = matched === 'phrase in the title' ? phraseOf(keyword) : termsOf(keyword);
  if (terms.length === 0) return sql`select id from content where false`;
  return searchOn(engine).matching(terms, matched === 'words' ? 'words' : 'title');
}

/** The groups of the order of relevance, the best first. Each one is a part of the next. */
export function groupsFor(keyword: string): Matched[] {
  const isOneTerm = termsOf(keyword).length <= 1;
  return isOneTerm ? ['words in the title', 'words'] : ['phrase in the title', 'words in the title', 'words'];
}

export function searchOn({ name }: Pick<Engine, 'name'>): ContentSearch {
  return SEARCHES[name];
}

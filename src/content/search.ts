import { sql } from 'kysely';
import { termsOf, wordsOf } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { postgresSearch } from './search.postgres.ts';
import { sqliteSearch } from './search.sqlite.ts';

const SEARCHES = { sqlite: sqliteSearch, postgres: postgresSearch };

/** Visible items that have what the keyword asks for (domain/words.ts); none if it has no word at all. */
export function contentMatching(keyword: string, engine: Pick<Engine, 'name'>): IdSet {
  const terms = termsOf(keyword);
  if (terms.length === 0) return sql`select id from content where false`;
  return SEARCHES[engine.name].matching(terms);
}

/** Indexes the words of items as their rows have them. */
export async function indexWords(
  db: Db,
  items: readonly { id: number; title: string; content: string }[],
  { name }: Pick<Engine, 'name'>,
): Promise<void> {
  const words = items.map(({ id, title, content }) => ({
    id,
    title: wordsOf(title),
    content: wordsOf(content),
  }));
  await SEARCHES[name].put(db, words);
}

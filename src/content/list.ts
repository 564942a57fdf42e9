import { sql } from 'kysely';
import type { Page, PageRequest } from '../domain/page.ts';
import { foldKey } from '../domain/text.ts';
import { pageOfTable } from '../store/blocks.ts';
import { type IdSet, intersection } from '../store/id-set.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ContentRow } from './contract.ts';
import { selectRecords } from './find.ts';

interface Filter {
  /** An empty text is no filter. */
  readonly keyword: string;
  readonly category: string;
  readonly tag: string;
  readonly author?: number | undefined;
}

type ContentQuery = PageRequest & Filter;

/** Content by id, of those items that meet every filter given. */
export const listContent = readOperation(
  'content.list',
  async (db, query: ContentQuery, engine): Promise<Page<ContentRow>> => {
    const { page, per_page } = query;
    const { items, total } = isFiltered(query)
      ? await matching(db, query, engine)
      : await pageOfTable(db, 'content', query, recordsFrom, engine);
    return { items, total, page, per_page };
  },
  isFiltered,
);

function isFiltered({ keyword, category, tag, author }: Filter): boolean {
  return keyword !== '' || category !== '' || tag !== '' || author !== undefined;
}

const recordsFrom = statement((db, from: { id: number; limit: number; offset: number }) =>
  selectRecords(db)
    .where('content.id', '>=', from.id)
    .orderBy('content.id')
    .limit(atMost(from.limit))
    .offset(from.offset),
);

async function matching(db: Db, query: ContentQuery, engine: Engine) {
  const { ids, total } = await engine.pageOfIds(db, intersection(await setsOf(db, query, engine)), query);
  if (ids.length === 0) return { items: [], total };
  const items = await selectRecords(db).where('content.id', 'in', ids).orderBy('content.id').execute();
  return { items, total };
}

/** One set of ids for each filter; each comes from an index that has them in order. */
async function setsOf(db: Db, { keyword, category, tag, author }: Filter, engine: Engine): Promise<IdSet[]> {
  const sets: IdSet[] = [];
  if (author !== undefined) sets.push(sql`select id from content where author_id = ${author}`);
  // The second condition lets SQLite use the partial index.
  if (category !== '') {
    sets.push(sql`select id from content where category = ${category} and category <> ''`);
  }
  if (tag !== '') sets.push(sql`select content_id as id from content_tags where tag = ${tag}`);
  if (keyword !== '') sets.push(await engine.contentMatching(db, foldKey(keyword)));
  return sets;
}

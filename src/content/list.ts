import { sql } from 'kysely';
import type { Page, PageRequest } from '../domain/page.ts';
import { foldKey } from '../domain/text.ts';
import { pageOfTable, type Seek } from '../store/blocks.ts';
import { type IdSet, intersection } from '../store/id-set.ts';
import { type Engine, type Label, readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ListedRow } from './contract.ts';
import { EXCERPT, shareOf } from './excerpt.ts';
import { selectWithoutText } from './find.ts';

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
  async (db, query: ContentQuery, engine): Promise<Page<ListedRow>> => {
    const { page, per_page } = query;
    const { items, total } = isFiltered(query)
      ? await matching(db, query, engine)
      : await pageOfTable(db, 'content', query, itemsFrom(shareOf(query.per_page)), engine);
    return { items, total, page, per_page };
  },
  isFiltered,
);

function isFiltered({ keyword, category, tag, author }: Filter): boolean {
  return keyword !== '' || category !== '' || tag !== '' || author !== undefined;
}

/** Records with a content of at most `share` bytes, or its beginning: the rest never leaves the database. */
function selectListed(db: Db, share: number) {
  const length = sql`octet_length(content.content)`;
  return selectWithoutText(db).select([
    sql<string>`case when ${length} <= ${share} then content.content
      else substr(content.content, 1, ${sql.lit(EXCERPT)}) end`.as('content'),
    sql<number>`case when ${length} <= ${share} then 0 else 1 end`.as('is_cut'),
  ]);
}

const listedFrom = statement((db, from: Seek & { limit: number; share: number }) =>
  selectListed(db, from.share)
    .where('content.id', '>=', from.id)
    .orderBy('content.id')
    .limit(atMost(from.limit))
    .offset(from.offset),
);

function itemsFrom(share: number) {
  return (db: Db, from: Seek & { limit: number }) => listedFrom(db, { ...from, share });
}

async function matching(db: Db, query: ContentQuery, engine: Engine) {
  const { ids, total } = await engine.pageOfIds(db, intersection(await setsOf(db, query, engine)), query);
  if (ids.length === 0) return { items: [], total };
  const items = await selectListed(db, shareOf(query.per_page))
    .where('content.id', 'in', ids)
    .orderBy('content.id')
    .execute();
  return { items, total };
}

/** What has the labels and what has the keyword; each set comes from an index that has it in order. */
async function setsOf(db: Db, filter: Filter, engine: Engine): Promise<IdSet[]> {
  const [first, ...others] = labelsOf(filter);
  return [
    ...(first ? [engine.contentLabelled([first, ...others])] : []),
    ...(filter.keyword === '' ? [] : [await engine.contentMatching(db, foldKey(filter.keyword))]),
  ];
}

/** An author has fewer items than a tag, as a rule, and a tag fewer than a category. */
function labelsOf({ author, tag, category }: Filter): Label[] {
  return [
    ...(author === undefined ? [] : [{ kind: 'author' as const, value: author }]),
    ...(tag === '' ? [] : [{ kind: 'tag' as const, value: tag }]),
    ...(category === '' ? [] : [{ kind: 'category' as const, value: category }]),
  ];
}

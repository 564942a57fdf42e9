import type { Page, PageRequest } from '../domain/page.ts';
import { foldKey } from '../domain/text.ts';
import { pageOfTable } from '../store/blocks.ts';
import { type IdSet, intersection } from '../store/id-set.ts';
import { type Engine, type Label, readOperation } from '../store/operation.ts';
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

import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import { foldKey } from '../domain/text.ts';
import { countRows, seekOffset } from '../store/blocks.ts';
import { type Engine, readOperation } from '../store/operation.ts';
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
      : await everything(db, query);
    return { items, total, page, per_page };
  },
  isFiltered,
);

function isFiltered({ keyword, category, tag, author }: Filter): boolean {
  return keyword !== '' || category !== '' || tag !== '' || author !== undefined;
}

async function everything(db: Db, query: ContentQuery) {
  const total = await countRows(db, 'content');
  if (offsetOf(query) >= total) return { items: [], total };
  const seek = await seekOffset(db, 'content', offsetOf(query));
  const items = await selectRecords(db)
    .where('content.id', '>=', seek.id)
    .orderBy('content.id')
    .limit(query.per_page)
    .offset(seek.offset)
    .execute();
  return { items, total };
}

async function matching(db: Db, query: ContentQuery, engine: Engine) {
  const ids = await matchingIds(db, query, engine);
  const { total } = await ids
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (offsetOf(query) >= total) return { items: [], total };
  const page = ids.orderBy('content.id').limit(query.per_page).offset(offsetOf(query));
  const items = await selectRecords(db).where('content.id', 'in', page).orderBy('content.id').execute();
  return { items, total };
}

async function matchingIds(db: Db, { keyword, category, tag, author }: Filter, engine: Engine) {
  let ids = db.selectFrom('content').select('content.id');
  // The second condition lets SQLite use the partial index.
  if (category !== '') ids = ids.where('category', '=', category).where('category', '<>', '');
  if (author !== undefined) ids = ids.where('author_id', '=', author);
  if (tag !== '') {
    ids = ids.where('content.id', 'in', (eb) =>
      eb.selectFrom('content_tags').select('content_id').where('tag', '=', tag),
    );
  }
  if (keyword !== '') {
    const matches = await engine.contentMatching(db, foldKey(keyword));
    ids = ids.where('content.id', 'in', sql<number>`(${matches})`);
  }
  return ids;
}

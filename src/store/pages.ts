import { type SelectQueryBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest, type Walk, type WalkRequest } from '../domain/page.ts';

/**
 * A page of a query and its total, in one statement, so that both come from one state of the database. All rows are
 * counted, so use it for the rows of one owner, or for few rows. The order of the query ends with a unique column, so
 * that no row is on two pages.
 */
export async function pageOf<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  request: PageRequest,
): Promise<Page<Row>> {
  const { page, per_page } = request;
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ readonly total: number }>();
  const items = await query
    .select(sql<number>`${counted}`.as('total'))
    .$castTo<Row & { readonly total: number }>()
    .limit(per_page)
    .offset(offsetOf(request))
    .execute();
  const total = items[0]?.total ?? (await counted.executeTakeFirstOrThrow()).total;
  return { items, total: Number(total), page, per_page };
}

/**
 * A page of the rows that match, and their number, in two statements, for a read of one snapshot that may count very many
 * rows: the count needs only an index, and a page past the end reads no row.
 */
export async function countThenPage<DB, Table extends keyof DB, Row>(
  request: PageRequest,
  matching: SelectQueryBuilder<DB, Table, object>,
  rowsFrom: (offset: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  const { page, per_page } = request;
  const count = matching.select(sql<number>`count(*)`.as('total')).$castTo<{ readonly total: number }>();
  const [total, offset] = [Number((await count.executeTakeFirstOrThrow()).total), offsetOf(request)];
  return { items: offset < total ? await rowsFrom(offset) : [], total, page, per_page };
}

/**
 * The next step of a walk. `rowsFrom` reads at most `limit` rows beyond the row with the id `after`, in the order of the
 * list, which is that of ids or its reverse. Ids are never reused, so a walk meets each row that lives throughout exactly
 * once, whatever is written meanwhile. `start` comes before the first id of the list.
 */
export async function walkOf<Row extends { readonly id: number }>(
  { after, per_page }: WalkRequest,
  rowsFrom: (from: { readonly after: number; readonly limit: number }) => Promise<Row[]>,
  start = 0,
): Promise<Walk<Row>> {
  const rows = await rowsFrom({ after: after ?? start, limit: per_page + 1 });
  const items = rows.slice(0, per_page);
  return { items, per_page, next: rows.length > per_page ? items.at(-1)?.id : undefined };
}

/** Rows after a key, and where the next ones begin. Undefined at the end. */
export interface RowsAfter<Row> {
  readonly rows: Row[];
  readonly next: Row | undefined;
}

/**
 * At most `most` rows of a query after a key, in the order of the key, which is one unique column. The cost does not
 * grow with the number of earlier rows.
 */
export async function rowsAfter<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { key, after, most }: { readonly key: string; readonly after: string | number; readonly most: number },
): Promise<RowsAfter<Row>> {
  const found = await query
    .where(sql.ref(key), '>', after)
    .orderBy(sql.ref(key))
    .limit(most + 1)
    .execute();
  const rows = found.slice(0, most);
  return { rows, next: found.length > most ? rows.at(-1) : undefined };
}

/** True if there are this many rows. It reads no more than that. */
export async function hasRows<DB, Table extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  most: number,
): Promise<boolean> {
  const last = rows.limit(1).offset(most - 1);
  return (await last.executeTakeFirst()) !== undefined;
}

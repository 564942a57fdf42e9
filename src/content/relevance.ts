import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';

/**
 * A page of the items that match a keyword, by their ids, and the exact total. `sets` are those whose title has its words
 * in a row, those whose title has all of them, and all: each one is a part of the next, and comes before the rest of it.
 * Within that, the greatest id is first. All sets are counted, and of each only what the page shows is sorted or read.
 */
export async function pageByRelevance(
  db: Db,
  sets: readonly IdSet[],
  request: PageRequest,
): Promise<Page<number>> {
  const { page, per_page } = request;
  const counts = await countsOf(db, sets);
  const items: number[] = [];
  let offset = offsetOf(request);
  for (const [index, set] of sets.entries()) {
    const [better, betterCount] = [sets[index - 1], counts[index - 1] ?? 0];
    const own = (counts[index] ?? 0) - betterCount;
    const limit = Math.min(per_page - items.length, own - offset);
    if (limit > 0)
      items.push(...(await newestOf(db, set, betterCount > 0 ? better : undefined, limit, offset)));
    offset = Math.max(0, offset - own);
  }
  return { items, total: counts.at(-1) ?? 0, page, per_page };
}

async function countsOf(db: Db, sets: readonly IdSet[]): Promise<number[]> {
  const counts = sets.map(
    (set, at) => sql`select ${sql.lit(at)} as at, count(*) as items from (${set}) as matching`,
  );
  const all = sql.join(counts, sql` union all `);
  const { rows } = await sql<{ items: number }>`${all} order by at`.execute(db);
  return rows.map(({ items }) => Number(items));
}

/** The ids of a set without those of the better one, the greatest first. */
async function newestOf(db: Db, set: IdSet, better: IdSet | undefined, limit: number, offset: number) {
  const { rows } = await sql<{ id: number }>`
    select id from (${set}) as matching
    ${better ? sql`except select id from (${better}) as better` : sql``}
    order by id desc limit ${limit} offset ${offset}`.execute(db);
  return rows.map(({ id }) => id);
}

import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';
import type { Matched } from './search.ts';

/** The groups of the order, the best first. Each one is a part of the next. */
const GROUPS = ['phrase in the title', 'words in the title', 'words'] as const satisfies Matched[];

/**
 * A page of the items that match a keyword, by their ids, and the exact total: first those whose title has its words in a
 * row, then those whose title has all of them, then the others, each group by descending id. `matching` is the set of the
 * items that match in this way. Only the title's words are read for the first two, and of a large set no more than the
 * page, so the cost of a page does not depend on the number of its matches by more than their count.
 */
export async function pageByRelevance(
  db: Db,
  matching: (matched: Matched) => IdSet,
  request: PageRequest,
): Promise<Page<number>> {
  const { page, per_page } = request;
  const sets = GROUPS.map(matching);
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
  const counts = sets.map((set) => sql`select count(*) as items from (${set}) as matching`);
  const { rows } = await sql<{ items: number }>`${sql.join(counts, sql` union all `)}`.execute(db);
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

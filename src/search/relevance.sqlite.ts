import { sql } from 'kysely';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';

/**
 * SQLite counts each set without keeping it, and finds ids in descending order. So all sets are counted, and then each is
 * read only as far as the page goes.
 */
export async function mostRelevant(db: Db, sets: readonly IdSet[], limit: number, offset: number) {
  const counts = await countsOf(db, sets);
  const items: number[] = [];
  let skipped = offset;
  for (const [at, set] of sets.entries()) {
    const [better, betterCount] = [sets[at - 1], counts[at - 1] ?? 0];
    const own = (counts[at] ?? 0) - betterCount;
    const wanted = Math.min(limit - items.length, own - skipped);
    if (wanted > 0)
      items.push(...(await newestOf(db, set, betterCount > 0 ? better : undefined, wanted, skipped)));
    skipped = Math.max(0, skipped - own);
  }
  return { items, total: counts.at(-1) ?? 0 };
}

async function countsOf(db: Db, sets: readonly IdSet[]): Promise<number[]> {
  const counts = sets.map(
    (set, at) => sql`select ${sql.lit(at)} as at, count(*) as items from (${set}) as matching`,
  );
  const all = sql.join(counts, sql` union all `);
  const { rows } = await sql<{ items: number }>`${all} order by at`.execute(db);
  return rows.map(({ items }) => items);
}

/** The ids of a set without those of the better one, the greatest first. */
async function newestOf(db: Db, set: IdSet, better: IdSet | undefined, limit: number, offset: number) {
  const { rows } = await sql<{ id: number }>`
    select id from (${set}) as matching
    ${better ? sql`except select id from (${better}) as better` : sql``}
    order by id desc limit ${limit} offset ${offset}`.execute(db);
  return rows.map(({ id }) => id);
}

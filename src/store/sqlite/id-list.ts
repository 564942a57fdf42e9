import { sql } from 'kysely';
import type { IdSet } from '../id-set.ts';

/** A set of ids that are known already. */
export function listed(ids: readonly number[]): IdSet {
  return sql`select value as id from json_each(${JSON.stringify(ids)})`;
}

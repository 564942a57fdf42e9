import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../content/visibility.ts';
import { countedTable } from '../store/counts.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';

/** Counts the visible items that only accounts see. Usually there are none, and a list of strangers is as for accounts. */
export const membersOnly = countedTable('content_members');

/** True if there are items that the reader may not see although accounts do. */
export async function hidesSomeFrom(db: Db, reader: Reader): Promise<boolean> {
  return reader === 'stranger' && (await membersOnly.total(db)) > 0;
}

/** Those of the ids of visible items that strangers see. Each id is looked up in an index. */
export function publicAmong(ids: IdSet): IdSet {
  return sql`select id from (${ids}) as shown where ${isPublic(sql`shown.id`)}`;
}

/** A condition for the id of a visible item. */
export function isPublic(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`not exists (
    select 1 from content as hidden where hidden.visible = 1 and hidden.visibility = 'members' and hidden.id = ${id})`;
}

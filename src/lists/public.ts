import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../content/visibility.ts';
import { countedTable } from '../store/counts.ts';
import { inTimeOn } from '../store/deadline.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Counts the visible items that only accounts see. Usually there are none, and a list of strangers is as for accounts. */
export const membersOnly = countedTable('content_members');

/** True if there are items that the reader may not see although accounts do. */
export async function hidesSomeFrom(db: Db, reader: Reader): Promise<boolean> {
  return reader === 'stranger' && (await membersOnly.total(db)) > 0;
}

/** Those of the ids of visible items that strangers see. */
export function publicAmong(ids: IdSet, engine: Engine): IdSet {
  return sql`select id from (${ids}) as shown where ${isPublic(sql`shown.id`, engine)}`;
}

/**
 * A condition for the id of a visible item, which is looked up in an index. SQLite would look its row up, and has to read
 * all of a long text for the column behind it. The condition ends in time, because there may be very many ids.
 */
export function isPublic(id: RawBuilder<unknown>, engine: Engine): RawBuilder<boolean> {
  const index = engine.name === 'sqlite' ? sql`indexed by content_readers` : sql``;
  return sql`not exists (
    select 1 from content as hidden ${index}
    where hidden.visible = 1 and hidden.visibility = 'members' and hidden.id = ${id}
  ) and ${inTimeOn(engine, id)}`;
}

import { sql } from 'kysely';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db } from '../store/tables.ts';

/** One write removes so many versions at most, and about so many bytes of text. */
const VERSIONS = 100;
const BYTES = 1024 * 1024;

/** The oldest version that an item keeps, and its base. The versions before are removed, but for the base. */
export interface OldestKept {
  readonly version: number;
  readonly base: number | null;
  readonly replaced_at: number;
}

/** Removes some versions, the newest first: a base goes after what is made of it. False where there are none. */
export async function removeVersions(db: Db, id: number, before?: OldestKept): Promise<boolean> {
  const bytes = sql<number>`coalesce(octet_length(content), 0) + coalesce(octet_length(delta), 0)`;
  const versions = await db
    .selectFrom('content_versions')
    .select(['version', bytes.as('bytes')])
    .where('content_id', '=', id)
    .$if(before !== undefined, (query) => query.where('version', '<', before?.version ?? 0))
    .$if(before?.base != null, (query) => query.where('version', '<>', before?.base ?? 0))
    .orderBy('version', 'desc')
    .limit(VERSIONS)
    .execute();
  if (versions.length === 0) return false;
  const removed = rowsWithin(versions, BYTES).map(({ version }) => version);
  await db
    .deleteFrom('content_versions')
    .where('content_id', '=', id)
    .where('version', 'in', removed)
    .execute();
  return true;
}

/** From now on the job removes the versions of items that are about to be deleted. */
export async function removeHistoryOf(db: Db, ids: readonly number[]): Promise<void> {
  await sql`insert into content_history_due (content_id, due_at) select id, 0 from content
    where id in (${sql.join(ids)}) and exists (select 1 from content_versions where content_id = id)
    on conflict (content_id) do update set due_at = 0`.execute(db);
}

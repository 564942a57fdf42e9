import { sql } from 'kysely';
import type { Job } from '../domain/jobs.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { KEPT_MS } from './keep-version.ts';
import { rowsWithin } from './rows-within.ts';

/** One write removes so many versions at most, and about so many bytes of text. */
const VERSIONS = 100;
const BYTES = 1024 * 1024;

interface Upkeep {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How many versions an item keeps, however old they are. */
  readonly keep: number;
}

/** The oldest version that an item keeps, and its base. The versions before are removed, but for the base. */
interface OldestKept {
  readonly version: number;
  readonly base: number | null;
  readonly replaced_at: number;
}

export const nextHistoryDue = readOperation('content.next_history_due', (db, now: number) => dueAt(db, now));

/**
 * Removes some versions of the item that has waited longest: all of an item that is gone, else those that were replaced
 * long ago (`KEPT_MS`) and are not among the newest. One instance at a time.
 */
export const removeOldVersions = writeOperation(
  'content.remove_old_versions',
  async (db, { now, keep }: Upkeep, engine): Promise<void> => {
    await engine.lock(db, 'removing old versions');
    const due = await dueAt(db, now);
    if (!due) return;
    const id = due.content_id;
    // Locked, so that no change makes a delta of a base that is being removed.
    const item = await db
      .selectFrom('content')
      .select('version')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    const newest = (item?.version ?? 0) - keep;
    const oldest = item && (await oldestKept(db, id, { newest, since: now - KEPT_MS }));
    if (await removeVersions(db, id, oldest)) return;
    if (oldest && oldest.version < newest) {
      const due_at = oldest.replaced_at + KEPT_MS;
      await db.updateTable('content_history_due').set({ due_at }).where('content_id', '=', id).execute();
    } else await db.deleteFrom('content_history_due').where('content_id', '=', id).execute();
  },
  { isBackground: true },
);

function dueAt(db: Db, now: number) {
  return db
    .selectFrom('content_history_due')
    .select('content_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
}

function oldestKept(
  db: Db,
  id: number,
  { newest, since }: { newest: number; since: number },
): Promise<OldestKept | undefined> {
  return db
    .selectFrom('content_versions')
    .select(['version', 'base', 'replaced_at'])
    .where('content_id', '=', id)
    .where((eb) => eb.or([eb('version', '>=', newest), eb('replaced_at', '>', since)]))
    .orderBy('version')
    .limit(1)
    .executeTakeFirst();
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

export function oldVersionsJob(store: Store, keep: number, clock: () => number): Job {
  const run = async (): Promise<boolean> => {
    const now = clock();
    if (!(await store.read(nextHistoryDue, now))) return false;
    await store.write(removeOldVersions, { now, keep });
    return true;
  };
  return { name: 'removing old versions', every: MINUTE_MS, run };
}

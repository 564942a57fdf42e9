import { sql } from 'kysely';
import { invalid } from '../domain/failure.ts';
import { translateUnique } from '../store/constraint.ts';
import { stayingColumns } from '../store/fields.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { LockedItem } from './change.ts';
import type { ContentRow } from './contract.ts';
import { CONTENT_FIELDS, WRITTEN, type Written } from './fields.ts';
import { recordOf } from './find.ts';
import type { Past } from './keep-version.ts';
import { moveSlug } from './old-slugs.ts';
import { requireDraftForTime, requireScheduleOfItem } from './schedule.ts';
import { slugTaken } from './slug-claim.ts';
import { withVisible } from './visibility.ts';
import { keepDraftOver, writeVersion } from './write-version.ts';

const STAYING = stayingColumns(CONTENT_FIELDS);

interface ItemChange {
  readonly columns: Partial<Written>;
  /** The account that makes the change. */
  readonly by: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly past: Past | undefined;
  /** True where a draft beside the item is published. */
  readonly publishesDraft?: boolean;
}

/** The new row, the bytes that the write added to what its author has stored (below 0 for fewer), and whether it wrote. */
export type Updated = ContentRow & { readonly added: number; readonly isWritten: boolean };

/**
 * Changes an item that the write has locked, and keeps what was there before as a version. A change that changes nothing
 * makes none. Fails with `validation_failed`, `limit_reached` and `taken` where the item cannot have that status, that time
 * or that slug. An import calls it too.
 */
export async function changeItem(
  db: Db,
  engine: Engine,
  item: LockedItem,
  { columns: given, by, now, past, publishesDraft = false }: ItemChange,
): Promise<Updated> {
  const { id } = item;
  const columns = await checkStatus(db, engine, item, given);
  const changed = await changedColumns(db, id, columns);
  let added = 0;
  if (changed.length > 0) {
    const { status = item.status } = columns;
    if (changed.includes('slug') && columns.slug) await moveSlug(db, engine, { id, slug: columns.slug, now });
    const isPublished = publishesDraft || (changed.includes('status') && status === 'published');
    added = await writeVersion(db, item, {
      columns: Object.fromEntries(changed.map((name) => [name, columns[name]])),
      besides: {
        ...(changed.includes('status') && withVisible({ trashed_at: null, status })),
        ...(isPublished && { published_version: item.version + 1 }),
      },
      ...{ by, now, past },
    }).catch((error: unknown) => translateUnique(error, { content_slug: slugTaken }));
    if (item.status === 'published' && changed.every((name) => STAYING.includes(name)))
      await keepDraftOver(db, item);
  }
  return { ...(await recordOf(db, id).executeTakeFirstOrThrow()), added, isWritten: changed.length > 0 };
}

/** The columns with what follows from the status: what is published has no time to be published. */
async function checkStatus(
  db: Db,
  engine: Engine,
  item: LockedItem,
  columns: Partial<Written>,
): Promise<Partial<Written>> {
  const { status = item.status, publish_at } = columns;
  requireDraftForTime(status, publish_at, item.status);
  if (status === 'published') return item.status === 'draft' ? { ...columns, publish_at: null } : columns;
  if (publish_at != null && item.publish_at === null) await requireScheduleOfItem(db, engine, item.author_id);
  if (item.status === 'published') await requireNoDraftBeside(db, item.id);
  return columns;
}

async function requireNoDraftBeside(db: Db, id: number): Promise<void> {
  const drafts = db.selectFrom('content_drafts').select('version').where('content_id', '=', id);
  if ((await drafts.executeTakeFirst()) === undefined) return;
  const message = 'This item has a draft beside it; publish or delete that first.';
  throw invalid([{ field: 'status', rule: 'draft', message }]);
}

/** Those that have another value now. */
async function changedColumns(db: Db, id: number, columns: Partial<Written>): Promise<(keyof Written)[]> {
  const given = WRITTEN.filter((name) => columns[name] !== undefined);
  if (given.length === 0) return [];
  const same = given.map((name) =>
    sql<number>`case when ${sql.ref(name)} is not distinct from ${columns[name]} then 1 else 0 end`.as(name),
  );
  const row = await db.selectFrom('content').select(same).where('id', '=', id).executeTakeFirstOrThrow();
  return given.filter((name) => row[name] === 0);
}

import { sql } from 'kysely';
import { notFound } from '../domain/failure.ts';
import type { Db } from '../store/tables.ts';
import { requireMayChange } from './change.ts';
import { type Status, selectWithDrafts } from './visibility.ts';

/** Who asks for what an item was before. */
export interface HistoryRequest {
  readonly id: number;
  readonly userId: number;
}

/** A version of an item, without what was written. */
export interface VersionState {
  readonly version: number;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  readonly by_id: number;
  readonly by_name: string;
  /** Of its text, in UTF-8. */
  readonly bytes: number;
  /** A JSON array of the members that the version before had otherwise; null where that is not kept. */
  readonly changed: string | null;
}

/**
 * The rule for reading earlier versions of an item: those who may change it. Asked inside the read that it guards. Fails
 * with `not_found` or `forbidden`.
 */
export async function requireHistory(
  db: Db,
  { id, userId }: HistoryRequest,
): Promise<{ readonly version: number; readonly status: Status; readonly bytes: number }> {
  const item = await selectWithDrafts(db)
    .innerJoin('users', (join) => join.on('users.id', '=', userId))
    .select(['content.author_id', 'content.status', 'content.version', 'users.role'])
    .select(sql<number>`octet_length(content.content)`.as('bytes'))
    .where('content.id', '=', id)
    .executeTakeFirst();
  if (!item) throw notFound('content item');
  requireMayChange(item, { userId, role: item.role });
  return item;
}

/**
 * The present version of an item and its earlier ones, which `requireHistory` has allowed. Where nobody else made a version,
 * its author did.
 */
export function selectHistory(db: Db, id: number) {
  const present = selectWithDrafts(db)
    .select(['content.version', 'content.updated_at as at'])
    .select((eb) => eb.fn.coalesce('content.changed_by', 'content.author_id').as('by_id'))
    .select(sql<number>`octet_length(content.content)`.as('bytes'))
    .where('content.id', '=', id);
  const earlier = selectWithDrafts(db)
    .innerJoin('content_versions as version', 'version.content_id', 'content.id')
    .select(['version.version', 'version.changed_at as at'])
    .select((eb) => eb.fn.coalesce('version.changed_by', 'content.author_id').as('by_id'))
    .select('version.bytes')
    .where('version.content_id', '=', id);
  return db
    .selectFrom(present.unionAll(earlier).as('history'))
    .innerJoin('users', 'users.id', 'history.by_id')
    .leftJoin('content_versions as before', (join) =>
      join.on('before.content_id', '=', id).on('before.version', '=', sql<number>`history.version - 1`),
    )
    .select([
      'history.version',
      'history.at',
      'history.bytes',
      'users.id as by_id',
      'users.username as by_name',
    ])
    .select('before.replaced_members as changed');
}

import { sql } from 'kysely';
import { moderatesContent } from '../domain/account.ts';
import { Failure, forbidden, notFound } from '../domain/failure.ts';
import { recordEvent } from '../services/audit/record.ts';
import { spend } from '../services/limits/shared.ts';
import { type Asked, callerWrite } from '../sessions/caller-write.ts';
import { readOperation } from '../store/operation.ts';
import type { Db, Tables } from '../store/tables.ts';
import type { LabelKind } from './tables.ts';

export type LabelRename = Tables['label_renames'];

/** Whose limit the renamings of all editors are. */
export const IN_ALL = 'all';

interface Named {
  readonly kind: LabelKind;
  /** The name that is given up. */
  readonly from: string;
}

/**
 * Begins to rename a label; a job does the work (`renameStep`). A name that other items have already merges the two.
 * Fails with `forbidden` for all but editors and admins, with `too_many_requests`, and with `request_in_progress` while
 * another one of this kind runs. What fails counts for no limit in all.
 */
export const startRename = callerWrite(
  'labels.start_rename',
  async (
    db,
    { kind, from, to, now, origin }: Named & Asked & { readonly to: string },
    { userId, role, sessionId },
    engine,
  ): Promise<LabelRename> => {
    if (!moderatesContent(role)) throw notForMembers();
    await spend(db, 'label_renames', IN_ALL, now);
    await engine.lock(db, 'renaming labels');
    const last = await db
      .selectFrom('label_renames')
      .select('ended_at')
      .where('kind', '=', kind)
      .executeTakeFirst();
    if (last?.ended_at === null) throw underWay(kind);
    const rename: LabelRename = {
      kind,
      from_name: from,
      to_name: to,
      started_by: userId,
      started_at: now,
      ended_at: null,
      round: 1,
      part: 'visible',
      after_id: 0,
      last_id: await newestId(db),
      in_round: 0,
      items: 0,
    };
    await db
      .insertInto('label_renames')
      .values(rename)
      .onConflict((conflict) => conflict.column('kind').doUpdateSet(rename))
      .execute();
    const by = { actorId: userId, sessionId };
    await recordEvent(db, { event: 'label_rename_started', at: now, origin, ...by, detail: { kind } });
    return rename;
  },
);

function underWay(kind: LabelKind): Failure {
  const message = `Another ${kind} is being renamed; try again when that has ended.`;
  return new Failure({ error: 'request_in_progress', message, retryAfter: 5 });
}

function notForMembers(): Failure {
  return forbidden('Only an editor or an admin may do this.');
}

/** The highest id of an item, hidden ones too; 0 where there is none. */
export async function newestId(db: Db): Promise<number> {
  const { id } = await db
    .selectFrom('content')
    .select(sql<number | null>`max(id)`.as('id'))
    .executeTakeFirstOrThrow();
  return Number(id ?? 0);
}

/** The renaming of this label, where it runs or was the last of its kind. Fails with `forbidden` or `not_found`. */
export const findRename = readOperation(
  'labels.find_rename',
  async (db, { kind, from, userId }: Named & { readonly userId: number }): Promise<LabelRename> => {
    const asker = await db.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst();
    if (!asker || !moderatesContent(asker.role)) throw notForMembers();
    const renames = db.selectFrom('label_renames').selectAll().where('kind', '=', kind);
    const rename = await renames.where('from_name', '=', from).executeTakeFirst();
    if (!rename) throw notFound(`renaming of this ${kind}`);
    return rename;
  },
);

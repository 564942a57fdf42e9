import { deletedAccount } from '../accounts/deleted-account.ts';
import type { Past } from '../content/keep-version.ts';
import { ITEM_STORED, storedAs } from '../content/stored.ts';
import { keepDraftOver, writeVersion } from '../content/write-version.ts';
import type { Db } from '../store/tables.ts';
import type { LabelRename } from './rename.ts';
import { renamed } from './renamed.ts';

interface Relabelling {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly past?: Past | undefined;
}

/**
 * Gives an item its new label, as a version by who began the renaming; also a draft, and an item in the trash. A draft with
 * a time stays with who saved it, because who saved a draft must still have the right to when it is published. Returns
 * the bytes that this added to what its author has stored, and undefined where it has the label no more.
 */
export async function relabelItem(
  db: Db,
  rename: LabelRename,
  { id, now, past }: Relabelling,
): Promise<number | undefined> {
  const item = await db
    .selectFrom('content')
    .select(['id', 'author_id', 'version', 'updated_at', 'changed_by', 'status', 'publish_at'])
    .select(['category', 'tags', ITEM_STORED.as('stored')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  const label = item && renamed(rename, item);
  if (!label) return undefined;
  // Whoever began it may have been removed since.
  const starter = rename.started_by ?? (await deletedAccount(db, now));
  const by = item.publish_at === null ? starter : (item.changed_by ?? item.author_id);
  const added = await writeVersion(db, item, { columns: label, by, now, past });
  // A renaming is no edit that a draft could overwrite.
  await keepDraftOver(db, item);
  return added;
}

/** The same for the draft beside an item. When it was saved stays as it is, because nobody saved it. */
export async function relabelDraft(
  db: Db,
  rename: LabelRename,
  { id }: Pick<Relabelling, 'id'>,
): Promise<number | undefined> {
  // Whoever writes a draft locks its item first.
  await db.selectFrom('content').select('id').where('id', '=', id).forUpdate().execute();
  const draft = await db
    .selectFrom('content_drafts')
    .select(['written', 'version'])
    .where('content_id', '=', id)
    .executeTakeFirst();
  if (!draft) return undefined;
  const columns: object = JSON.parse(draft.written);
  const label = renamed(rename, columns);
  if (!label) return undefined;
  const written = JSON.stringify({ ...columns, ...label });
  await db
    .updateTable('content_drafts')
    .set({ written, version: draft.version + 1 })
    .where('content_id', '=', id)
    .execute();
  return storedAs(Buffer.byteLength(written)) - storedAs(Buffer.byteLength(draft.written));
}

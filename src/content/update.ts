import { sql } from 'kysely';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { translateUnique } from '../store/constraint.ts';
import type { ColumnsSetBy } from '../store/fields.ts';
import type { Engine } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { type LockedItem, lockChangeable } from './change.ts';
import type { ContentRow } from './contract.ts';
import { type ContentFields, WRITTEN } from './fields.ts';
import { selectRecords } from './find.ts';
import { keepVersion, type Past } from './keep-version.ts';
import { jsonOfMeta, type Meta, mergedMeta } from './meta.ts';
import { pastOf } from './past.ts';
import { type OnlyIf, requireState } from './precondition.ts';
import { moveSlug, slugTaken } from './slug-claim.ts';
import { ITEM_BYTES, storedAs } from './stored.ts';

type Written = ColumnsSetBy<ContentFields, 'author'>;

interface Change extends CallerInput {
  readonly id: number;
  readonly columns: Partial<Written>;
  /** What is merged into the `meta` that the item has at the time of the write; null takes all of it away. */
  readonly metaPatch?: Meta | null | undefined;
  readonly onlyIf?: OnlyIf | undefined;
}

/** The new row, and the bytes that the write added to what its author has stored (below 0 for fewer). */
type Updated = ContentRow & { readonly added: number };

/**
 * Changes the columns that are given, keeps the others, and returns the row as it is now. What was there before becomes a
 * version. A change that changes nothing makes none.
 */
export const updateContent = callerWrite(
  'content.update',
  async (
    db,
    { id, columns: given, metaPatch, now, onlyIf, past }: Change & { past?: Past | undefined },
    caller,
    engine,
  ): Promise<Updated> => {
    const item = await lockChangeable(db, id, caller);
    await requireState(db, item, onlyIf);
    const columns = metaPatch === undefined ? given : { ...given, meta: await patched(db, id, metaPatch) };
    const changed_by = caller.userId === item.author_id ? null : caller.userId;
    const { kept } = await changeItem(db, engine, { item, columns, changed_by, now, past });
    const { bytes, ...row } = await selectRecords(db, 'account')
      .select(ITEM_BYTES.as('bytes'))
      .where('content.id', '=', id)
      .executeTakeFirstOrThrow();
    return { ...row, added: kept + storedAs(bytes) - storedAs(item.bytes) };
  },
);

interface ItemChange {
  readonly item: LockedItem;
  readonly columns: Partial<Written>;
  /** Null for the author. */
  readonly changed_by: number | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly past?: Past | undefined;
}

/**
 * Writes the columns that have another value now. What was there before becomes a version, which counts as `kept` bytes.
 * An import calls it too.
 */
export async function changeItem(
  db: Db,
  engine: Engine,
  { item, columns, changed_by, now, past }: ItemChange,
): Promise<{ readonly isChanged: boolean; readonly kept: number }> {
  const { id } = item;
  const changed = await changedColumns(db, id, columns);
  if (changed.length === 0) return { isChanged: false, kept: 0 };
  const kept = await keepVersion(db, { item, members: changed, now, past });
  if (changed.includes('slug') && columns.slug) await moveSlug(db, engine, { id, slug: columns.slug, now });
  await db
    .updateTable('content')
    .set({
      ...Object.fromEntries(changed.map((name) => [name, columns[name]])),
      version: item.version + 1,
      updated_at: now,
      changed_by,
    })
    .where('id', '=', id)
    .execute()
    .catch((error: unknown) => translateUnique(error, { content_slug: slugTaken }));
  return { isChanged: true, kept };
}

/** The `meta` of an item as the patch makes it. Fails with `validation_failed` where that is too large. */
async function patched(db: Db, id: number, patch: Meta | null): Promise<string> {
  const { meta } = await db
    .selectFrom('content')
    .select('meta')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return patch === null ? '{}' : jsonOfMeta(mergedMeta(JSON.parse(meta), patch));
}

/** Those that have another value now. */
async function changedColumns(db: Db, id: number, columns: Partial<Written>): Promise<(keyof Written)[]> {
  const given = WRITTEN.filter((name) => columns[name] !== undefined);
  if (given.length === 0) return [];
  const same = given.map((name) =>
    sql<number>`case when ${sql.ref(name)} = ${columns[name]} then 1 else 0 end`.as(name),
  );
  const row = await db.selectFrom('content').select(same).where('id', '=', id).executeTakeFirstOrThrow();
  return given.filter((name) => row[name] === 0);
}

/** The same, with the text that is replaced kept in little room. Fails as the write does. */
export async function update(store: Store, change: Change): Promise<Updated> {
  const past = await pastOf(store, { id: change.id, userId: change.caller.userId });
  return store.write(updateContent, { ...change, past });
}

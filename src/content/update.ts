import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { lockChangeable } from './change.ts';
import { changeItem, type Updated } from './change-item.ts';
import type { Written } from './fields.ts';
import type { Past } from './keep-version.ts';
import { jsonOfMeta, type Meta, mergedMeta } from './meta.ts';
import { pastOf } from './past.ts';
import { type OnlyIf, requireState } from './precondition.ts';

interface Change extends CallerInput {
  readonly id: number;
  readonly columns: Partial<Written>;
  /** What is merged into the `meta` that the item has at the time of the write; null takes all of it away. */
  readonly metaPatch?: Meta | null | undefined;
  readonly onlyIf?: OnlyIf | undefined;
}

/**
 * Changes the columns that are given, keeps the others, and returns the row as it is now. Fails with `not_found`,
 * `forbidden` or `version_conflict`, and as `changeItem` does.
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
    return changeItem(db, engine, item, { columns, by: caller.userId, now, past });
  },
);

/** The `meta` of an item as the patch makes it. Fails with `validation_failed` where that is too large. */
async function patched(db: Db, id: number, patch: Meta | null): Promise<string> {
  const { meta } = await db
    .selectFrom('content')
    .select('meta')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return patch === null ? '{}' : jsonOfMeta(mergedMeta(JSON.parse(meta), patch), patch);
}

/** The same, with the text that is replaced kept in little room. Fails as the write does. */
export async function update(store: Store, change: Change): Promise<Updated> {
  const past = await pastOf(store, { id: change.id, userId: change.caller.userId });
  return store.write(updateContent, { ...change, past });
}

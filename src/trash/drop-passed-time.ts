import { lockItem } from '../content/change.ts';
import { changeItem } from '../content/change-item.ts';
import { dropPassedTimeBeside } from '../content/schedule.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/**
 * Takes the time of an item and of its draft away where it has passed, when the item comes out of the trash: nobody expects
 * it to be published then.
 */
export async function dropPassedTime(
  db: Db,
  engine: Engine,
  { id, by, now }: { readonly id: number; readonly by: number; readonly now: number },
): Promise<void> {
  const item = await lockItem(db, id);
  if (item?.publish_at != null && item.publish_at <= now)
    await changeItem(db, engine, item, { columns: { publish_at: null }, by, now, past: undefined });
  await dropPassedTimeBeside(db, id, now);
}

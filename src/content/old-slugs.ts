import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { slugLock, slugTaken, takenOf } from './slug-claim.ts';

/** Former slugs of an item that lead to it. Older ones are free again. */
export const OLD_SLUGS = 50;

interface Move {
  readonly id: number;
  readonly slug: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reserves the slug that an item has for the links that know it, before the write gives the locked item this one. Fails
 * with `taken` where another item has it or had it. A write that saw the slug free before this item had it is refused by
 * the index or, after this write, by a trigger.
 */
export async function moveSlug(db: Db, engine: Engine, { id, slug, now }: Move): Promise<void> {
  if (!(await engine.tryLock(db, slugLock(slug)))) throw slugTaken();
  if ((await takenOf(db, [slug], id)).has(slug)) throw slugTaken();
  await db.deleteFrom('content_old_slugs').where('slug', '=', slug).execute();
  const item = await db.selectFrom('content').select('slug').where('id', '=', id).executeTakeFirstOrThrow();
  if (item.slug === null) return;
  await reserve(db, id, [{ slug: item.slug, replaced_at: now }]);
}

/** Reserves former slugs for the item. The oldest beyond what it may have are free again. */
export async function reserve(
  db: Db,
  id: number,
  former: readonly { readonly slug: string; readonly replaced_at: number }[],
): Promise<void> {
  const rows = former.map((each) => ({ ...each, content_id: id }));
  await db.insertInto('content_old_slugs').values(rows).execute();
  const oldest = db
    .selectFrom('content_old_slugs')
    .select('slug')
    .where('content_id', '=', id)
    .orderBy('replaced_at', 'desc')
    .orderBy('slug')
    .limit(OLD_SLUGS)
    .offset(OLD_SLUGS);
  await db.deleteFrom('content_old_slugs').where('slug', 'in', oldest).execute();
}

import { reserve } from '../../content/old-slugs.ts';
import { isClaimed } from '../../content/slug-claim.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';

interface Former {
  readonly id: number;
  /** The oldest first. */
  readonly slugs: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reserves the slugs that an item had before, so that their links lead to it. Those that are not free are left out. Returns
 * whether there were others.
 */
export async function importSlugs(db: Db, engine: Engine, { id, slugs, now }: Former): Promise<boolean> {
  const free: string[] = [];
  for (const slug of new Set(slugs)) if (await isClaimed(db, engine, slug)) free.push(slug);
  if (free.length === 0) return false;
  // A time of its own for each keeps their order.
  const former = free.map((slug, index) => ({ slug, replaced_at: now - free.length + index }));
  await reserve(db, id, former);
  return true;
}

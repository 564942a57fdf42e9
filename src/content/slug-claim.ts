import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { taken } from '../domain/failure.ts';
import type { LockName } from '../domain/lock-names.ts';
import { numbered } from '../domain/slug.ts';
import { lockKeyWithin } from '../store/lock-key.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Slugs with a number that are looked up at once. */
const PROBES = 32;
/** No slug has a higher number. */
const HIGHEST = 2 ** 31;
/** How far beyond the first free number each further try goes at most, where others take the numbers meanwhile. */
const SPREADS = [0, 8, 64, 512, 4096, 32_768, 262_144] as const;

/** A slug belongs to another item already. */
export function slugTaken(): ReturnType<typeof taken> {
  return taken('slug', 'Another item has this slug, or had it before; choose another one.');
}

/**
 * Whoever takes a slug holds this lock until its write ends, and gives up at once where another write holds it, or where
 * the slug is not free. So no write waits for another one at the index of slugs, and two that want the same ones cannot
 * deadlock. The name has a digest, because the key that PostgreSQL makes of a name can be inverted: a member could
 * choose a slug whose key is that of another lock.
 */
export function slugLock(slug: string): LockName {
  return `content slug ${hash('sha256', slug)}`;
}

/** The same lock as a condition of a statement, true where it is got. Not asked for an item without a slug. */
export const HOLDS_SLUG = {
  sqlite: (_slug: string | null) => sql<boolean>`1 = 1`,
  postgres: (slug: string | null) => sql<boolean>`(cast(${slug} as text) is null
    or pg_try_advisory_xact_lock(${lockKeyWithin('content slug', digestOf(slug))}))`,
};

function digestOf(slug: string | null) {
  return sql<string>`encode(sha256(convert_to(cast(${slug} as text), 'UTF8')), 'hex')`;
}

/**
 * True where no item has the slug, or had it before. Without the first, an insert would wait at the index for whoever
 * changes the item that has it.
 */
export function isFree(slug: string | null) {
  const asked = sql`cast(${slug} as text)`;
  return sql<boolean>`not exists (select 1 from content as other where other.slug = ${asked})
    and not exists (select 1 from content_old_slugs as old where old.slug = ${asked})`;
}

/**
 * Slugs to try for a new item, where the slug itself is taken: the first number that is free, then some beyond it, for
 * where other writes take numbers at the same time. However many items have the name, a few statements find the number.
 */
export async function freeSlugs(db: Db, slug: string): Promise<string[]> {
  const first = await firstFree(db, slug);
  return SPREADS.map((spread) => numbered(slug, first + Math.floor(Math.random() * spread)));
}

/**
 * A free slug for an item that has none: its own, or one with a number. The write holds its lock. Undefined where others
 * take such names at the same time.
 */
export async function claimFreeSlug(db: Db, engine: Engine, slug: string): Promise<string | undefined> {
  if (await isClaimed(db, engine, slug)) return slug;
  for (const each of await freeSlugs(db, slug)) if (await isClaimed(db, engine, each)) return each;
  return undefined;
}

/** True where the slug is free. The write then holds its lock. */
export async function isClaimed(db: Db, engine: Engine, slug: string): Promise<boolean> {
  // The lock is got before the statement looks, so it sees what the last write with the lock did.
  const [isLocked, found] = await Promise.all([engine.tryLock(db, slugLock(slug)), takenOf(db, [slug])]);
  return isLocked && !found.has(slug);
}

/** A free number whose predecessor is taken. Each round divides the numbers between a taken and a free one. */
async function firstFree(db: Db, slug: string): Promise<number> {
  let [below, free] = [1, HIGHEST];
  while (free - below > 1) {
    const probes = between(below, free);
    const found = await takenOf(
      db,
      probes.map((number) => numbered(slug, number)),
    );
    const next = probes.findIndex((number) => !found.has(numbered(slug, number)));
    const at = next === -1 ? probes.length : next;
    [below, free] = [probes[at - 1] ?? below, probes[at] ?? free];
  }
  return free;
}

/** Numbers between two: in growing steps while nothing above is known, then in equal ones. */
function between(below: number, free: number): number[] {
  const step = Math.ceil((free - below) / PROBES);
  const offset = (index: number) => (free === HIGHEST ? 2 ** index : (index + 1) * step);
  const numbers = Array.from({ length: PROBES }, (_, index) => below + offset(index));
  return numbers.filter((number) => number < free);
}

/** Those of the slugs that an item has, or another one than this had before. */
export async function takenOf(
  db: Db,
  slugs: readonly string[],
  own = 0,
): Promise<ReadonlySet<string | null>> {
  const rows = await db
    .selectFrom('content')
    .select('slug')
    .where('slug', 'in', slugs)
    .unionAll(
      db
        .selectFrom('content_old_slugs')
        .select('slug')
        .where('slug', 'in', slugs)
        .where('content_id', '!=', own),
    )
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

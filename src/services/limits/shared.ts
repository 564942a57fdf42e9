import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { tooManyRequests } from '../../domain/failure.ts';
import { SHARED_LIMITS } from '../../domain/limits.ts';
import type { Db } from '../../store/tables.ts';
import { everyMs, farthest, leftIn, secondsUntilFree } from './bucket.ts';

export type SharedLimit = keyof typeof SHARED_LIMITS;
/** Whose limit it is: the id of an account, a source, or several parts together. */
type Of = string | number | readonly string[];

export interface Taken {
  readonly limit: SharedLimit;
  readonly of: Of;
  /** How many are left after this one. */
  readonly left: number;
}

/** A hash, so that the table holds neither names nor addresses. */
export function keyOf(limit: SharedLimit, of: Of): string {
  return hash('sha256', JSON.stringify([limit, ...[of].flat().map(String)]), 'base64url');
}

/** The key of a source in tables. It reveals no address. */
export function sourceKey(source: string): string {
  return keyOf('source', source);
}

/**
 * Takes one from a limit, inside the write that needs it, so a write that fails takes nothing. Undefined if none is
 * left. This is one statement, so that two writes never take the same one. `now` is in milliseconds since 1970.
 */
export async function take(db: Db, limit: SharedLimit, of: Of, now: number): Promise<Taken | undefined> {
  const rate = SHARED_LIMITS[limit];
  const { withinMs } = rate;
  const one = { key: keyOf(limit, of), everyMs: everyMs(rate), withinMs };
  const taken = await add(db, one, withinMs - everyMs(rate), now)
    .returning('empty_at')
    .executeTakeFirst();
  return taken && { limit, of, left: leftIn(rate, taken.empty_at, now) };
}

/**
 * The same, but fails with `too_many_requests` if none is left. Call this after the proof that the write asks for, so
 * that nobody without the proof can use up the owner's limit.
 */
export async function spend(
  db: Db,
  limit: Exclude<SharedLimit, 'registration'>,
  of: Of,
  now: number,
): Promise<Taken> {
  const taken = await take(db, limit, of, now);
  if (taken) return taken;
  const rate = SHARED_LIMITS[limit];
  const { empty_at } = await db
    .selectFrom('guess_debts')
    .select('empty_at')
    .where('key', '=', keyOf(limit, of))
    .executeTakeFirstOrThrow();
  throw tooManyRequests(rate.refusal, secondsUntilFree(rate, empty_at, now), limit);
}

/** Returns what turned out not to count, inside the write that finds this out. */
export async function giveBack(db: Db, { limit, of }: Taken): Promise<void> {
  await db
    .updateTable('guess_debts')
    .set((eb) => ({ empty_at: eb('empty_at', '-', everyMs(SHARED_LIMITS[limit])) }))
    .where('key', '=', keyOf(limit, of))
    .execute();
}

/** What one use adds to one bucket. */
export interface Charge {
  readonly key: string;
  readonly everyMs: number;
  /** Of the limit. */
  readonly withinMs: number;
}

/** Adds to a bucket, unless it will be empty later than `mostMs` from now. */
export function add(db: Db, { key, everyMs: addedMs, withinMs }: Charge, mostMs: number, now: number) {
  const stored = sql.ref('guess_debts.empty_at');
  const last = farthest(withinMs, now);
  const before = sql<number>`case when ${stored} > ${now} and ${stored} <= ${last} then ${stored} - ${now} else 0 end`;
  return db
    .insertInto('guess_debts')
    .values({ key, empty_at: now + addedMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ empty_at: sql<number>`excluded.empty_at + ${before}` })
        .where((eb) => eb.or([eb(stored, '<=', now + mostMs), eb(stored, '>', last)])),
    );
}

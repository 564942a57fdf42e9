import { type RawBuilder, sql } from 'kysely';
import type { LockName, LocksOfOne } from '../domain/lock-names.ts';

/** The key of PostgreSQL's advisory lock of a name (`Engine.lock`). */
export function lockKey(name: LockName): RawBuilder<bigint> {
  return sql`hashtextextended('stoa ' || cast(${name} as text), 0)`;
}

/** The same where only the statement knows the thing: `of` gives its id, or what else the name has of it, as text. */
export function lockKeyWithin(kind: keyof LocksOfOne, of: RawBuilder<string>): RawBuilder<bigint> {
  return sql`hashtextextended(${sql.lit(`stoa ${kind} `)} || ${of}, 0)`;
}

import { type RawBuilder, sql } from 'kysely';
import { busy, type Failure } from '../domain/failure.ts';
import type { Engine } from './operation.ts';

/** The longest time of a statement in a long read. */
export const LONG_READ_MS = 3_000;

/** The failure of a long read whose time is over. */
export function tookTooLong(cause?: unknown): Failure {
  const message =
    'This request took too long and was ended; search for rarer words, use more filters, or try again later.';
  return busy(message, 5, cause);
}

/**
 * A condition for statements of SQLite that may read very many rows. It is true for every row, and ends the statement
 * when the time of the long read is over. node:sqlite cannot interrupt a statement from outside. Only one row in 1,024
 * checks the time, because a call of JavaScript costs more than reading the row.
 */
export function whileInTime(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${id} & 1023 <> 0 or stoa_in_time())`;
}

/** The same for a statement of both engines. PostgreSQL ends a long statement by itself. */
export function inTimeOn({ name }: Pick<Engine, 'name'>, id: RawBuilder<unknown>): RawBuilder<boolean> {
  return name === 'sqlite' ? whileInTime(id) : sql<boolean>`true`;
}

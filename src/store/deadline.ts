import { type RawBuilder, sql } from 'kysely';
import { Failure } from '../domain/failure.ts';
import type { Engine } from './operation.ts';

/** A statement of a long read may take this long. */
export const LONG_READ_MS = 3_000;

/** What a long read fails with when its time is over. */
export function tookTooLong(cause?: unknown): Failure {
  return new Failure(
    {
      error: 'busy',
      message: 'This search took too long and was ended; ask for something rarer, or try again later.',
      retryAfter: 5,
    },
    cause,
  );
}

/**
 * A condition for statements of SQLite that may look at very many rows: it is true for every row, and ends the
 * statement when the time of the long read is over. node:sqlite has no way to interrupt a statement from outside.
 * Only one row in 1,024 asks, because a call of JavaScript costs more than looking at the row.
 */
export function whileInTime(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${id} & 1023 <> 0 or stoa_in_time())`;
}

/** The same for a statement of both engines. The server of PostgreSQL ends a long statement by itself. */
export function inTimeOn({ name }: Pick<Engine, 'name'>, id: RawBuilder<unknown>): RawBuilder<boolean> {
  return name === 'sqlite' ? whileInTime(id) : sql<boolean>`true`;
}

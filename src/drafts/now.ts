import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { NOW as ON_POSTGRES } from './now.postgres.ts';
import { NOW as ON_SQLITE } from './now.sqlite.ts';

/** The clock of the database, which all instances share, in milliseconds since 1970. */
export function databaseNow({ name }: Pick<Engine, 'name'>): RawBuilder<number> {
  return name === 'sqlite' ? ON_SQLITE : ON_POSTGRES;
}

/** What that clock says. */
export async function readNow(db: Db, engine: Pick<Engine, 'name'>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(engine)} as now`.execute(db);
  return Number(rows[0]?.now);
}

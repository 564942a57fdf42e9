import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { numberWaiting as onPostgres } from './number.postgres.ts';
import { numberWaiting as onSqlite } from './number.sqlite.ts';
import type { Numbered } from './numbered.ts';

/** The two engines differ, because only PostgreSQL may commit a change while others get their numbers. */
export function numberOn({ name }: Pick<Engine, 'name'>): (db: Db, limit: number) => Promise<Numbered> {
  return name === 'sqlite' ? onSqlite : onPostgres;
}

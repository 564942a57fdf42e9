import { sql } from 'kysely';
import type { Engine } from '../operation.ts';
import { publish } from './changes.ts';

export const postgresEngine: Engine = {
  name: 'postgres',
  publish,

  async lock(db, name) {
    await sql`select pg_advisory_xact_lock(${keyOf(name)})`.execute(db);
  },

  async tryLock(db, name) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${keyOf(name)}) as locked`.execute(db);
    return rows[0]?.locked === true;
  },
};

function keyOf(name: string) {
  return sql`hashtextextended(${`stoa ${name}`}, 0)`;
}

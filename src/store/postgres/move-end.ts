import { sql } from 'kysely';
import { missingSteps, type SchemaPlan } from '../migration.ts';
import { type MoveEnd, type Side, schemaOf } from '../move-end.ts';
import type { Db } from '../tables.ts';
import { connectSession, explained, useAloneSoon, useShared } from './connect.ts';
import { kyselyOnClient, postgresEngine } from './dialect.ts';
import { liveTables, OUR_SCHEMA } from './live-tables.ts';
import { allowLongWork } from './long-work.ts';
import { applyMigrations, DIALECT, indexTrigrams } from './migrate.ts';
import { postgresObjects } from './objects.ts';
import { placeOf } from './place.ts';

/** Opens a database as one end of a move, over one connection. Fails with OperatorError if it cannot be used. */
export async function openPostgresEnd(
  url: string,
  side: Side,
  { migrations, trigramIndexes, objects }: SchemaPlan,
): Promise<MoveEnd> {
  const client = await connectSession(url);
  await allowLongWork(client);
  if (side === 'source') await client.query('SET default_transaction_read_only = on');
  const db = kyselyOnClient(client);

  async function transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    await sql`begin`.execute(db);
    try {
      const result = await work(db);
      await sql`commit`.execute(db);
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  return {
    name: `PostgreSQL database ${placeOf(url)}`,
    db,
    engine: postgresEngine,
    transaction,
    tables: () => liveTables(db),
    objects: () => postgresObjects(db),
    freshObjects: async () => objects,
    derived: async () => 'whole',

    async schema() {
      const { rows } = await sql<{ tables: number; ours: boolean }>`
        select count(*) as tables,
          coalesce(bool_or(relname = 'migrations') and bool_or(relname = 'move_progress'), false) as ours
        from pg_class where relnamespace = ${OUR_SCHEMA} and relkind in ('r', 'p', 'v', 'm')
          and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`.execute(db);
      const [found] = rows;
      const steps = sql<{ name: string }>`select name from migrations order by name`;
      const applied = found?.ours ? (await steps.execute(db)).rows.map(({ name }) => name) : [];
      return schemaOf(applied, migrations, (found?.tables ?? 0) > 0);
    },

    async missing() {
      const { rows } = await client.query("SELECT to_regclass('migrations') IS NOT NULL AS has_steps");
      return rows[0]?.has_steps === true ? missingSteps({ dialect: DIALECT, db }, migrations) : migrations;
    },

    /** Makes no trigram indexes yet: at the end they take a fraction of the time. */
    async create() {
      try {
        await applyMigrations(client, migrations);
      } catch (error) {
        throw explained(error, url);
      }
    },

    lock: (use) => (use === 'alone' ? useAloneSoon(client) : useShared(client)),

    async freeze() {
      await sql`begin isolation level repeatable read read only`.execute(db);
    },

    async lastId(table) {
      const { rows } = await sql<{ last: number }>`
        select case when is_called then last_value else last_value - 1 end as last
        from ${sql.raw(await sequenceOf(db, table))}`.execute(db);
      return rows[0]?.last ?? 0;
    },

    async setLastId(table, id) {
      const sequence = await sequenceOf(db, table);
      await sql`select setval(${sequence}::text::regclass, ${Math.max(id, 1)}, ${id > 0})`.execute(db);
    },

    async finish() {
      await indexTrigrams(client, trigramIndexes, () => {});
      // Without statistics about the new rows, a service that starts now would get bad plans.
      const tables = (await liveTables(db)).map(({ name }) => sql.id(name));
      await sql`analyze ${sql.join(tables)}`.execute(db);
    },

    discard: async () => false,

    async close() {
      await client.end().catch(() => {});
    },
  };
}

/** The name of the sequence that assigns the ids of a table, quoted for SQL if needed. */
async function sequenceOf(db: Db, table: string): Promise<string> {
  const { rows } = await sql<{ sequence: string }>`
    select pg_get_serial_sequence(quote_ident(${table}), attname) as sequence
    from pg_attribute where attrelid = quote_ident(${table})::regclass and attidentity <> ''`.execute(db);
  const [found] = rows;
  if (!found) throw new Error(`The table ${table} has no sequence.`);
  return found.sequence;
}

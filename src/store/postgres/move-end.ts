import { sql } from 'kysely';
import type { Client } from 'pg';
import type { LiveTable } from '../live-table.ts';
import type { SchemaPlan } from '../migration.ts';
import { type MoveEnd, type Schema, type Side, schemaOf } from '../move-end.ts';
import type { Db } from '../tables.ts';
import { connect, explained } from './connect.ts';
import { kyselyOnClient } from './dialect.ts';
import { postgresEngine } from './engine.ts';
import { liveTables } from './live-tables.ts';
import { applyMigrations } from './migrate.ts';
import { placeOf } from './place.ts';
import { indexTrigrams } from './trigram.ts';
import { useAloneSoon } from './use.ts';

/**
 * Lifts the time limits of the server: a move has statements that take minutes, and sits idle while the other end
 * works. Not every version of the server has all of these settings.
 */
const PATIENT = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout',
  'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`;
/**
 * The server looks every second whether its client lives, so that a move that was killed soon lets go of the
 * database.
 */
const WATCHFUL = 'SET client_connection_check_interval = 1000';

/** Opens a database as one end of a move, over one connection. Fails with OperatorError where it cannot. */
export async function openPostgresEnd(url: string, side: Side, schema: SchemaPlan): Promise<MoveEnd> {
  const client = await connect(url);
  await client.query(PATIENT);
  // Not every operating system can tell the server that a client has gone.
  await client.query(WATCHFUL).catch(() => {});
  if (side === 'source') await client.query('SET default_transaction_read_only = on');
  return new PostgresEnd(url, client, schema);
}

class PostgresEnd implements MoveEnd {
  readonly name: string;
  readonly engine = postgresEngine;
  readonly db: Db;
  readonly #url: string;
  readonly #client: Client;
  readonly #plan: SchemaPlan;

  constructor(url: string, client: Client, plan: SchemaPlan) {
    this.name = `PostgreSQL database ${placeOf(url)}`;
    this.#url = url;
    this.#client = client;
    this.#plan = plan;
    this.db = kyselyOnClient(client);
  }

  async schema(): Promise<Schema> {
    const { rows } = await sql<{ tables: number; ours: boolean }>`
      select count(*) as tables,
        coalesce(bool_or(relname = 'migrations') and bool_or(relname = 'signing_keys'), false) as ours
      from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`.execute(this.db);
    const [found] = rows;
    if (!found?.ours) return schemaOf([], this.#plan.migrations, (found?.tables ?? 0) > 0);
    const applied = await sql<{ name: string }>`select name from migrations order by name`.execute(this.db);
    return schemaOf(
      applied.rows.map(({ name }) => name),
      this.#plan.migrations,
      true,
    );
  }

  tables(): Promise<LiveTable[]> {
    return liveTables(this.db);
  }

  /** Makes no trigram indexes yet: at the end they take a fraction of the time. */
  async create(): Promise<void> {
    try {
      await applyMigrations(this.#client, this.#plan.migrations, async () => {});
    } catch (error) {
      throw explained(error, this.#url);
    }
  }

  lock(): Promise<boolean> {
    return useAloneSoon(this.#client);
  }

  async freeze(): Promise<void> {
    await sql`begin isolation level repeatable read read only`.execute(this.db);
  }

  async transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    await sql`begin`.execute(this.db);
    try {
      const result = await work(this.db);
      await sql`commit`.execute(this.db);
      return result;
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async lastId(table: string): Promise<number> {
    const { rows } = await sql<{ last: number }>`
      select case when is_called then last_value else last_value - 1 end as last
      from ${sql.raw(await this.#sequenceOf(table))}`.execute(this.db);
    return rows[0]?.last ?? 0;
  }

  async setLastId(table: string, id: number): Promise<void> {
    const sequence = await this.#sequenceOf(table);
    await sql`select setval(${sequence}::text::regclass, ${Math.max(id, 1)}, ${id > 0})`.execute(this.db);
  }

  async finish(): Promise<void> {
    await this.transaction(() => indexTrigrams(this.#client, this.#plan.trigramIndexes, () => {}));
    // Without statistics of the new rows, a service that starts now would get bad plans.
    const tables = (await this.tables()).map(({ name }) => sql.table(name));
    await sql`analyze ${sql.join(tables)}`.execute(this.db);
  }

  /** The name of the sequence that gives the ids of a table, quoted for SQL where needed. */
  async #sequenceOf(table: string): Promise<string> {
    const { rows } = await sql<{ sequence: string }>`
      select pg_get_serial_sequence(quote_ident(${table}), attname) as sequence
      from pg_attribute where attrelid = quote_ident(${table})::regclass and attidentity <> ''`.execute(
      this.db,
    );
    const [found] = rows;
    if (!found) throw new Error(`The table ${table} has no sequence.`);
    return found.sequence;
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}

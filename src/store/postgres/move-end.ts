import { sql } from 'kysely';
import { Client } from 'pg';
import type { Migration } from '../migration.ts';
import type { MoveEnd, NumberedTable } from '../move-end.ts';
import type { Db } from '../tables.ts';
import { kyselyOnClient } from './dialect.ts';
import { postgresEngine } from './engine.ts';
import { migratePostgres } from './migrate.ts';
import { clientConfig } from './pool.ts';
import { useAlone } from './use.ts';

/** Opens a database as one end of a move, over one connection. */
export async function openPostgresEnd(url: string, migrations: readonly Migration[]): Promise<MoveEnd> {
  const client = new Client(clientConfig(url));
  await client.connect();
  return new PostgresEnd(url, client, migrations);
}

class PostgresEnd implements MoveEnd {
  readonly name: string;
  readonly engine = postgresEngine;
  readonly db: Db;
  readonly #url: string;
  readonly #client: Client;
  readonly #all: readonly Migration[];

  constructor(url: string, client: Client, migrations: readonly Migration[]) {
    const { hostname, pathname } = new URL(url);
    this.name = `PostgreSQL database ${hostname}${pathname}`;
    this.#url = url;
    this.#client = client;
    this.#all = migrations;
    this.db = kyselyOnClient(client);
  }

  async migrations(): Promise<string[]> {
    const { rows } = await this.#client.query("SELECT to_regclass('migrations') IS NOT NULL AS known");
    if (rows[0]?.known !== true) return [];
    const applied = await this.#client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
    return applied.rows.map(({ name }) => name);
  }

  async migrate(): Promise<void> {
    await migratePostgres(this.#url, this.#all, () => {});
  }

  lock(): Promise<boolean> {
    return useAlone(this.#client);
  }

  async transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    await this.#client.query('BEGIN');
    try {
      const result = await work(this.db);
      await this.#client.query('COMMIT');
      return result;
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async lastId(table: NumberedTable): Promise<number> {
    const { rows } = await sql<{ last: number }>`
      select case when is_called then last_value else last_value - 1 end as last
      from ${sql.table(`${table}_id_seq`)}`.execute(this.db);
    return Number(rows[0]?.last ?? 0);
  }

  async setLastId(table: NumberedTable, id: number): Promise<void> {
    await this.#client.query('SELECT setval($1::regclass, $2, $3)', [
      `${table}_id_seq`,
      Math.max(id, 1),
      id > 0,
    ]);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readConfig } from '../../src/config.ts';
import { retried } from '../../src/store/postgres/transaction.ts';
import { attachDerived } from '../../src/store/sqlite/derived.ts';
import { ENGINES, type Lifetime, temporaryFolder } from './engines.ts';
import { execute, newMigratedDatabase, newPostgresDatabase } from './postgres.ts';
import { copyMigratedFile } from './sqlite.ts';

/** A database that can be looked into while a service or a move works on it. */
export interface Place {
  /** As `--from`, `--to` and DATABASE_URL take it. */
  readonly url: string;
  /** Runs statements as its operator would with the database's own tool; returns the rows of the last. */
  readonly sql: (...statements: string[]) => Promise<Record<string, unknown>[]>;
  /** A digest of the whole database. */
  readonly state: () => Promise<string>;
}

type EngineName = 'SQLite' | 'PostgreSQL';
type NewPlace = (t: Lifetime) => Promise<Place>;

const NEW_PLACE: Record<string, NewPlace> = { SQLite: newSqlitePlace, PostgreSQL: newPostgresPlace };

/**
 * Each engine that the tests run on. The places of `newPlace` have the schema as it is now and no row, because all steps
 * take long. Those of `newEmptyPlace` have nothing.
 */
export const PLACES: readonly { name: string; newPlace: NewPlace; newEmptyPlace: NewPlace }[] =
  ENGINES.flatMap(({ name }) => {
    const newEmptyPlace = NEW_PLACE[name];
    if (!newEmptyPlace) return [];
    return [{ name, newPlace: (t) => newMigratedPlace(t, newEmptyPlace), newEmptyPlace }];
  });

/** Every pair of engines that a move leads between. */
export const DIRECTIONS: readonly (readonly [from: EngineName, to: EngineName, NewPlace, NewPlace])[] = [
  ['SQLite', 'PostgreSQL', newSqlitePlace, newPostgresPlace],
  ['PostgreSQL', 'SQLite', newPostgresPlace, newSqlitePlace],
];

/** A file that does not exist yet. */
export async function newSqlitePlace(t: Lifetime): Promise<Place> {
  return sqlitePlaceAt(join(await temporaryFolder(t), 'stoa.db'));
}

function sqlitePlaceAt(file: string): Place {
  return {
    url: `sqlite:${file}`,
    sql: async (...statements) => {
      // A service may be writing there at the same time.
      const database = new DatabaseSync(file, { timeout: 5_000 });
      try {
        if (existsSync(`${file}-derived`)) attachDerived(database, file);
        return statements.map((each) => database.prepare(each).all()).at(-1) ?? [];
      } finally {
        database.close();
      }
    },
    state: async () => {
      const log = existsSync(`${file}-wal`) ? await readFile(`${file}-wal`) : '';
      return digest(await readFile(file), log);
    },
  };
}

/** A database that has nothing yet. */
export async function newPostgresPlace(): Promise<Place> {
  return postgresPlaceAt(await newPostgresDatabase());
}

/** A database with the schema as it is now and without a row, of the engine whose empty places `newPlace` makes. */
export async function newMigratedPlace(t: Lifetime, newPlace: NewPlace): Promise<Place> {
  if (newPlace === newPostgresPlace) return postgresPlaceAt(await newMigratedDatabase());
  const place = await newSqlitePlace(t);
  await copyMigratedFile(dirname(place.url.slice('sqlite:'.length)));
  return place;
}

function postgresPlaceAt(url: string): Place {
  return {
    url,
    sql: async (...statements) => {
      let rows: Record<string, unknown>[] = [];
      // A service may hold the same rows in another order. PostgreSQL then ends one of the two statements.
      for (const each of statements) rows = await retried(() => execute(url, each));
      return rows;
    },
    state: async () => {
      const tables = await execute<{ name: string }>(
        url,
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
      );
      const rows = tables.map(
        ({ name }) => `(SELECT string_agg(t::text, '|' ORDER BY t::text) FROM ${name} AS t)`,
      );
      return digest(
        JSON.stringify([tables, await execute(url, `SELECT ARRAY[${rows.join(', ')}]::text[] AS all`)]),
      );
    },
  };
}

/** The database of these settings. */
export function placeAt(settings: Record<string, string>): Place {
  const { database } = readConfig(settings);
  return database.kind === 'postgres' ? postgresPlaceAt(database.url) : sqlitePlaceAt(database.file);
}

/** Runs statements on the database of these settings, also while a service uses it. */
export async function execOn(settings: Record<string, string>, statements: string): Promise<void> {
  const { database } = readConfig(settings);
  if (database.kind === 'postgres') {
    await retried(() => execute(database.url, statements));
    return;
  }
  const file = new DatabaseSync(database.file, { timeout: 60_000 });
  if (existsSync(`${database.file}-derived`)) attachDerived(file, database.file);
  file.exec(statements);
  file.close();
}

function digest(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

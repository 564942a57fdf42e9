import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { typed } from '../domain/installation.ts';
import { OperatorError } from '../domain/operator-error.ts';
import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** What differs between the engines in the definition of a table. */
export interface Dialect {
  readonly engine: Engine['name'];
  /** A primary key whose numbers the database assigns, and never twice. */
  readonly id: string;
  readonly integer: string;
  /** Text that is compared, ordered or unique. Both engines compare its bytes. */
  readonly key: string;
  /** The text after the closing parenthesis of CREATE TABLE. */
  readonly tableOptions: string;
}

/** What a step does to a database that is in use, for people who plan an upgrade (migration-plan.ts). */
export interface Effect {
  /** One sentence with the step as its subject, which is left out. */
  readonly does: string;
  /**
   * What waits on PostgreSQL, by table, until the transaction of the step is done: reads and writes (`all`), or only
   * writes. Has only tables that exist before the step. On SQLite all writes wait, and reads do not, unless it is
   * `nothing`.
   */
  readonly stops?: Readonly<Record<string, 'all' | 'writes'>> | 'everything' | 'nothing';
  /** Tables whose rows the step reads or copies: its time grows with them. */
  readonly reads?: readonly string[];
  /** One sentence: what a job does in the background once the service runs. */
  readonly later?: string;
}

/** One step of the schema: a list of statements for a dialect, applied once and never edited. */
export interface Migration {
  readonly name: string;
  readonly effect: Effect | Readonly<Record<Engine['name'], Effect>>;
  readonly statements: (dialect: Dialect) => readonly string[];
  /**
   * Set where each statement is `CREATE INDEX <name> ON ...`. PostgreSQL makes such indexes without a transaction, and
   * no write waits. A new database gets them like all else.
   */
  readonly isConcurrent?: true;
  /** Converts existing rows, after the statements, where SQL cannot. It may use only raw SQL. */
  readonly bringOver?: (db: Db) => Promise<void>;
}

/**
 * One part of a schema. On SQLite constraints and columns are in the definition of their table. On PostgreSQL they are
 * parts of their own, and constraints, columns and triggers have the name of their table in front. `definition` makes an
 * index, a trigger, a function and on SQLite a view.
 */
export interface SchemaObject {
  readonly kind: 'index' | 'constraint' | 'table' | 'column' | 'view' | 'function' | 'trigger';
  readonly name: string;
  readonly definition: string;
  /**
   * Set for an index of PostgreSQL whose CREATE INDEX CONCURRENTLY failed: writes may still maintain it, and no query
   * uses it.
   */
  readonly isInvalid?: true;
}

/** Indexes of PostgreSQL that need the extension pg_trgm. Missing ones are made. */
export interface TrigramIndexes {
  /** As those of a concurrent step. */
  readonly statements: readonly string[];
  /** What holds without them, as the beginning of a sentence for the operator. */
  readonly without: string;
}

/** The whole schema of this version. */
export interface SchemaPlan {
  readonly migrations: readonly Migration[];
  readonly trigramIndexes: TrigramIndexes;
  /** What a fresh database on PostgreSQL has. */
  readonly objects: readonly SchemaObject[];
}

/** The tables in SQLite's file of derived data (sqlite/derived.ts). They have no steps. */
export interface DerivedSchema {
  /** A file of another version is made again. */
  readonly version: number;
  readonly statements: readonly string[];
}

/**
 * What a migration run needs of an engine. All calls of a run are in one transaction, under one lock, or as
 * `buildIndexes`.
 */
export interface MigrationTarget {
  readonly dialect: Dialect;
  readonly db: Db;
  execute(statement: string): Promise<unknown>;
  /**
   * Called with the name of the first missing step, before the steps of a database that has others. Where it fails,
   * nothing is changed.
   */
  beforeSteps?(step: string): Promise<void>;
  /**
   * Commits the steps so far, makes the indexes of a concurrent step, and begins a transaction again. A run that was
   * killed may have made some of them. Without this function such a step is like any other.
   */
  buildIndexes?(statements: readonly string[]): Promise<void>;
}

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The step that makes the table for unfinished moves. */
const FIRST_WITH_MOVES = '0001_baseline';

/** The schema of the database does not fit this version. The message says what to do. */
export class MigrationError extends OperatorError {}

/**
 * Applies the missing steps in order, inside the caller's transaction: after a kill at any statement, the next start
 * finds all of them or none, or those before a concurrent step. Returns the names of the steps applied. Fails with
 * MigrationError when the database is newer than this version, when a step was edited, and when the database is the
 * target of an interrupted move or restore.
 */
export async function migrate(
  { dialect, db, execute, beforeSteps, buildIndexes }: MigrationTarget,
  migrations: readonly Migration[],
): Promise<string[]> {
  const columns = `name ${dialect.key} NOT NULL PRIMARY KEY, checksum TEXT NOT NULL`;
  await execute(`CREATE TABLE IF NOT EXISTS migrations (${columns})${dialect.tableOptions}`);
  const missing = await missingSteps({ dialect, db }, migrations);
  const [first] = missing;
  const isInUse = missing.length < migrations.length;
  if (first && isInUse) await beforeSteps?.(first.name);
  for (const migration of missing) {
    const statements = migration.statements(dialect);
    if (migration.isConcurrent && isInUse && buildIndexes) await buildIndexes(statements);
    else for (const statement of statements) await execute(statement);
    await migration.bringOver?.(db);
    const step = sql.join([migration.name, checksum(statements)]);
    await sql`insert into migrations (name, checksum) values (${step})`.execute(db);
  }
  return missing.map((migration) => migration.name);
}

/**
 * The steps that `migrate` would apply to a database that has the table of steps. Writes nothing, and fails as
 * `migrate`.
 */
export async function missingSteps(
  { dialect, db }: Pick<MigrationTarget, 'dialect' | 'db'>,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const query = sql<AppliedMigration>`select name, checksum from migrations order by name`;
  const { rows: applied } = await query.execute(db);
  refuseForeignHistory(applied, migrations, dialect);
  if (applied.some(({ name }) => name === FIRST_WITH_MOVES) && (await isMoveUnfinished(db))) {
    throw new MigrationError(
      `A move or restore into this database was interrupted; run the same "${typed('move')}" or "${typed('restore')}" again to finish it.`,
    );
  }
  return migrations.slice(applied.length);
}

async function isMoveUnfinished(db: Db): Promise<boolean> {
  const { rows } = await sql`select step from move_progress limit 1`.execute(db);
  return rows.length > 0;
}

function refuseForeignHistory(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  dialect: Dialect,
): void {
  const parting = applied.findIndex(({ name, checksum: recorded }, index) => {
    const known = migrations[index];
    return known?.name !== name || checksum(known.statements(dialect)) !== recorded;
  });
  if (parting < 0) return;
  const [from, to] = [applied.at(-1)?.name, migrations.at(-1)?.name];
  if (parting === migrations.length) {
    throw new MigrationError(
      `The database is of a newer version of Stoa: its last step is "${from}", and that of this version is "${to}". Start the version that made the database, or a newer one.`,
    );
  }
  throw new MigrationError(
    `The database was made by a development build of Stoa, and no version brings it up to date: its last step is "${from}", that of this version is "${to}", and they differ from the step "${applied[parting]?.name}" on. Start the build that made it, export the accounts there ("${typed('users export')}"), and import them into a new database.`,
  );
}

function checksum(statements: readonly string[]): string {
  return hash('sha256', statements.join(';\n'));
}

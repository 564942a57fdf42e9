import { createHash } from 'node:crypto';
import { OperatorError } from '../domain/operator-error.ts';
import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** What differs between the engines in the definition of a table. */
export interface Dialect {
  readonly engine: Engine['name'];
  /** A primary key whose numbers the database gives out, and never twice. */
  readonly id: string;
  readonly integer: string;
  /** Text that is compared, ordered or unique; both engines compare its bytes. */
  readonly key: string;
  /** What follows the closing parenthesis of CREATE TABLE. */
  readonly tableOptions: string;
}

/** One step of the schema: a list of statements for a dialect, applied once and never edited after. */
export interface Migration {
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
  /** Brings over what is there, after the statements, where SQL cannot. It may use raw SQL alone. */
  readonly bringOver?: (db: Db) => Promise<void>;
}

/** The whole schema that a start brings a database to. */
export interface SchemaPlan {
  readonly migrations: readonly Migration[];
  /** Statements for PostgreSQL alone that need the extension pg_trgm. Each makes an index where it is missing. */
  readonly trigramIndexes: readonly string[];
}

/** The tables of the file that SQLite keeps beside the database (sqlite/derived.ts). They have no steps. */
export interface DerivedSchema {
  /** A file of another version is made again. */
  readonly version: number;
  readonly statements: readonly string[];
}

/** What a migration run needs of an engine. All calls of a run are in one transaction, under one lock. */
export interface MigrationTarget {
  readonly dialect: Dialect;
  readonly db: Db;
  execute(statement: string): Promise<void>;
  applied(): Promise<AppliedMigration[]>;
  record(migration: AppliedMigration): Promise<void>;
  /** Called only where the step FIRST_WITH_MOVES was applied. */
  isMoveUnfinished(): Promise<boolean>;
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The step that makes the table where an unfinished move is noted. */
const FIRST_WITH_MOVES = '0001_baseline';

/** The schema of the database does not fit this version; the message says what to do. */
export class MigrationError extends OperatorError {}

/**
 * Applies the missing steps in order, inside the caller's transaction: after a kill at any statement, the next
 * start finds all of them or none. Returns the names of the steps applied. Fails with MigrationError when the
 * database is newer than this version, when a step was edited, and when the database is the target of a move that
 * was interrupted.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<string[]> {
  const applied = await target.applied();
  refuseForeignHistory(applied, migrations, target.dialect);
  if (applied.some(({ name }) => name === FIRST_WITH_MOVES) && (await target.isMoveUnfinished())) {
    throw new MigrationError(
      'A move into this database was interrupted; run the same "stoa move" again to finish it.',
    );
  }
  const missing = migrations.slice(applied.length);
  for (const migration of missing) {
    const statements = migration.statements(target.dialect);
    for (const statement of statements) await target.execute(statement);
    await migration.bringOver?.(target.db);
    await target.record({ name: migration.name, checksum: checksum(statements) });
  }
  return missing.map((migration) => migration.name);
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
    `The database was made by a development build of Stoa, and no version brings it up to date: its last step is "${from}", that of this version is "${to}", and they differ from the step "${applied[parting]?.name}" on. Start the build that made it, export the accounts there ("stoa users export"), and import them into a new database.`,
  );
}

function checksum(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join(';\n')).digest('hex');
}

import { createHash } from 'node:crypto';
import { OperatorError } from '../domain/operator-error.ts';
import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** The words in which the engines' table definitions differ. */
export interface Dialect {
  readonly engine: Engine['name'];
  readonly id: string;
  readonly integer: string;
  /** Text that is compared, ordered or unique: by its bytes on both engines. */
  readonly key: string;
  readonly tableOptions: string;
}

/** One step of the schema: a list of statements for a dialect, applied once and never edited after. */
export interface Migration {
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
  /** Brings over what is there, after the statements, where SQL cannot. It may use raw SQL alone. */
  readonly bringOver?: (db: Db) => Promise<void>;
}

/** Everything that a database is brought to. */
export interface SchemaPlan {
  readonly migrations: readonly Migration[];
  /** Statements of PostgreSQL that need the extension pg_trgm; each makes an index where it is missing. */
  readonly trigramIndexes: readonly string[];
}

/** The few calls that a migration run needs of an engine; all happen in one transaction under one lock. */
export interface MigrationTarget {
  readonly dialect: Dialect;
  readonly db: Db;
  execute(statement: string): Promise<void>;
  applied(): Promise<AppliedMigration[]>;
  record(migration: AppliedMigration): Promise<void>;
  /** Asked only of a database that has the step MOVE. */
  isMoveUnfinished(): Promise<boolean>;
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The step from which on a database remembers a move into it that is not finished. */
const MOVE = '0001_baseline';

/** The schema of the database and of this version do not fit; the message says what to do. */
export class MigrationError extends OperatorError {}

/**
 * Applies what is missing, in order, inside the caller's transaction: killed at any statement, the
 * next start finds all of it or none. Returns the names applied.
 * Fails with MigrationError when the database is newer than this version, a step was edited, or the
 * database is the target of a move that was interrupted.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<string[]> {
  const applied = await target.applied();
  refuseForeignHistory(applied, migrations, target.dialect);
  if (applied.some(({ name }) => name === MOVE) && (await target.isMoveUnfinished())) {
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
  for (const [index, { name, checksum: recorded }] of applied.entries()) {
    const known = migrations[index];
    if (known?.name !== name) {
      throw new MigrationError(
        `The database has the migration "${name}", which this version of Stoa does not know; start the version that made it, or a newer one.`,
      );
    }
    if (checksum(known.statements(dialect)) !== recorded) {
      throw new MigrationError(
        `The migration "${name}" was applied with other statements than this version has; restore the original file.`,
      );
    }
  }
}

function checksum(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join(';\n')).digest('hex');
}

import { existsSync, realpathSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { DerivedSchema } from '../migration.ts';
import { makePrivateFileBeside, realPathOf } from '../private-files.ts';
import { checkpoint } from './checkpoint.ts';
import {
  BUSY_TIMEOUT_MS,
  CHECKPOINT_PAGES,
  logLength,
  openForReading,
  useWriteAheadLog,
} from './connection.ts';
import { isDamage } from './errors.ts';
import { FileLock } from './lock.ts';

/**
 * Derived data, which can be made again from the rows, is in a file of its own (docs/decisions/lists-and-search.md). So
 * it needs neither the writer's thread nor its fsync, and no backup has it. A crash of the machine may undo the last
 * transactions of the file. Code that stores something there also stores how far it has come, and continues from there.
 */

/** The suffixes of the derived file and of SQLite's files for it. */
export const DERIVED_SUFFIXES = ['-derived', '-derived-wal', '-derived-shm'];

const CACHE_KB = 16_384;
/** A commit checkpoints from this many pages of the log on: 16 MB. */
const LOG_PAGES = CHECKPOINT_PAGES / 4;
/** How long the end of a log waits for long reads under way. */
const READERS_MS = 100;

/** The file beside the database that has what can be made again. Links are followed, so each database has one. */
export function derivedFileOf(database: string): string {
  return `${realPathOf(database)}-derived`;
}

/** Makes the file if it is missing, cannot be read or has another version. Called before any connection attaches it. */
export function prepareDerived(database: string, schema: DerivedSchema): void {
  try {
    makeDerived(database, schema);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeDerived(database);
    makeDerived(database, schema);
  }
}

/** The file is changed in place, because another process may use it. */
function makeDerived(database: string, { version, statements }: DerivedSchema): void {
  makePrivateFileBeside(database, derivedFileOf(database));
  using derived = new DatabaseSync(derivedFileOf(database), { timeout: BUSY_TIMEOUT_MS });
  const versionOf = () => derived.prepare('PRAGMA user_version').get()?.user_version;
  if (versionOf() === version) return;
  useWriteAheadLog(derived);
  derived.exec('PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
  // Another process that starts now may have been first.
  if (versionOf() !== version) {
    for (const { name } of derived.prepare(TABLES).all()) derived.exec(`DROP TABLE "${name}"`);
    for (const statement of [...statements, `PRAGMA user_version = ${version}`]) derived.exec(statement);
  }
  derived.exec('COMMIT');
}

/** Without the tables inside an index, which are dropped with it. */
const TABLES = `SELECT name FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/** Looks at the file without changing it. A file of another version is as good as none. Reads the whole file. */
export function stateOfDerived(
  database: string,
  { version }: DerivedSchema,
): 'missing' | 'damaged' | 'whole' {
  const file = derivedFileOf(database);
  if (!existsSync(file)) return 'missing';
  try {
    using connection = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    if (connection.prepare('PRAGMA user_version').get()?.user_version !== version) return 'missing';
    return isWhole(connection) ? 'whole' : 'damaged';
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

/** Removes the file, so that it is made again. False if any process uses the database, which would go on with it. */
export function removeUnusedDerived(database: string): boolean {
  using lock = FileLock.alone(database) ?? null;
  if (!lock) return false;
  removeDerived(database);
  return true;
}

function removeDerived(database: string): void {
  for (const suffix of DERIVED_SUFFIXES) rmSync(realPathOf(database) + suffix, { force: true });
}

/**
 * Lets a connection to the database use the tables of both files by their names. The connection may write to the
 * derived file if it may write to the database.
 */
export function attachDerived(connection: DatabaseSync, database: string): void {
  connection.prepare('ATTACH ? AS derived').run(derivedFileOf(database));
}

/** Opens the database read-only, with the derived file. */
export function openWithDerived(database: string): DatabaseSync {
  const connection = openForReading(database);
  attachDerived(connection, database);
  return connection;
}

/**
 * Opens the derived file for writing, with the database read-only. A commit is not synced. Only a checkpoint is, which
 * keeps the file whole (https://sqlite.org/pragma.html#pragma_synchronous, NORMAL).
 */
export function openDerived(database: string): DatabaseSync {
  if (!existsSync(derivedFileOf(database)))
    throw new Error(
      `The file ${derivedFileOf(database)} is missing; restart the service, and it makes the file again.`,
    );
  const connection = new DatabaseSync(derivedFileOf(database), { timeout: BUSY_TIMEOUT_MS });
  connection.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES};
    PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -${CACHE_KB}; PRAGMA temp_store = MEMORY`);
  connection.prepare('ATTACH ? AS service').run(`${pathToFileURL(realpathSync(database)).href}?mode=ro`);
  return connection;
}

/**
 * Ends a log that has become four times as long as a checkpoint allows, because consecutive long reads keep each
 * checkpoint from its end. Only the thread that writes there waits for them, and only briefly.
 */
export function endLongLog(connection: DatabaseSync): void {
  if (logLength(connection).log < 4 * LOG_PAGES) return;
  connection.exec(`PRAGMA busy_timeout = ${READERS_MS}`);
  try {
    checkpoint(connection, 'RESTART');
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Derived files that were checked and are whole. Checking a large one takes seconds. */
const WHOLE = new Set<string>();

/**
 * The error of a statement over both files. If the derived file is damaged, it is removed, so that the next start makes
 * it again, and the error says so.
 */
export function withDerivedDamage(error: unknown, connection: DatabaseSync, database: string): unknown {
  const file = derivedFileOf(database);
  if (!isDamage(error) || WHOLE.has(file)) return error;
  if (existsSync(file) && isWhole(connection)) {
    WHOLE.add(file);
    return error;
  }
  removeDerived(database);
  return new Error(
    `The file ${file} was damaged and is removed; restart the service, and it makes the file again.`,
    { cause: error },
  );
}

function isWhole(connection: DatabaseSync): boolean {
  const isAttached = connection.location('derived') !== null;
  try {
    const check = connection.prepare(`PRAGMA ${isAttached ? 'derived' : 'main'}.quick_check(1)`).get();
    return check?.quick_check === 'ok';
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

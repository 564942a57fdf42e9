import { existsSync, realpathSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { DerivedSchema } from '../migration.ts';
import { makePrivateFileBeside } from '../private-files.ts';
import { BUSY_TIMEOUT_MS, CHECKPOINT_PAGES, openForReading } from './connection.ts';
import { isDamage } from './errors.ts';
import { logLength } from './log-length.ts';

/**
 * What can be made again from the rows of the database is in a file of its own beside it (decisions 0067), so that it
 * needs neither the writer's thread nor its fsync, and no backup has it. A crash of the machine may take the last
 * transactions of the file. Whoever keeps something there notes how far it has come, and goes on from there.
 */

/** The files of what is derived from a database: the file, and what SQLite keeps beside it. */
export const DERIVED_SUFFIXES = ['-derived', '-derived-wal', '-derived-shm'];

const CACHE_KB = 16_384;
/** Pages of the log from which a commit checkpoints: 16 MB. */
const LOG_PAGES = CHECKPOINT_PAGES / 4;
/** How long the end of a log waits for searches under way. */
const READERS_MS = 100;

/** A link gives the database a second name. All names must lead to one file. */
function fileFor(database: string): string {
  return `${existsSync(database) ? realpathSync(database) : database}-derived`;
}

/** Makes the file where it is missing, cannot be read or has another version. Called before anybody attaches it. */
export function prepareDerived(database: string, schema: DerivedSchema): void {
  try {
    makeDerived(database, schema);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeDerived(database);
    makeDerived(database, schema);
  }
}

/** In place, because another process may use the file. */
function makeDerived(database: string, { version, statements }: DerivedSchema): void {
  makePrivateFileBeside(database, fileFor(database));
  const derived = new DatabaseSync(fileFor(database), { timeout: BUSY_TIMEOUT_MS });
  const versionOf = () => derived.prepare('PRAGMA user_version').get()?.user_version;
  try {
    if (versionOf() === version) return;
    derived.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
    // Another process that starts now may have come first.
    if (versionOf() !== version) {
      for (const { name } of derived.prepare(TABLES).all()) derived.exec(`DROP TABLE "${name}"`);
      for (const statement of [...statements, `PRAGMA user_version = ${version}`]) derived.exec(statement);
    }
    derived.exec('COMMIT');
  } finally {
    derived.close();
  }
}

/** Without the tables inside an index, which are dropped with it. */
const TABLES = `SELECT name FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

function removeDerived(database: string): void {
  const path = existsSync(database) ? realpathSync(database) : database;
  for (const suffix of DERIVED_SUFFIXES) rmSync(path + suffix, { force: true });
}

/**
 * Lets statements of a connection to the database use the tables of both files by their names. The connection may
 * write there what it may write in the database.
 */
export function attachDerived(connection: DatabaseSync, database: string): void {
  connection.prepare('ATTACH ? AS derived').run(fileFor(database));
}

/** The database for reading alone, with what is derived from it. */
export function openWithDerived(database: string): DatabaseSync {
  const connection = openForReading(database);
  attachDerived(connection, database);
  return connection;
}

/**
 * What is derived, for writing, with the database for reading. A commit is not synced: only a checkpoint is, which
 * keeps the file whole (https://sqlite.org/pragma.html#pragma_synchronous, NORMAL).
 */
export function openDerived(database: string): DatabaseSync {
  if (!existsSync(fileFor(database)))
    throw new Error(
      `The file ${fileFor(database)} is missing; restart the service, and it makes the file again.`,
    );
  const connection = new DatabaseSync(fileFor(database), { timeout: BUSY_TIMEOUT_MS });
  connection.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES};
    PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -${CACHE_KB}`);
  connection.prepare('ATTACH ? AS service').run(`${pathToFileURL(realpathSync(database)).href}?mode=ro`);
  return connection;
}

/**
 * Ends a log that has become four times as long as a checkpoint allows, because searches that follow one another keep each
 * checkpoint from its end. Only the thread that writes there waits for them, and only for a moment.
 */
export function endLongLog(connection: DatabaseSync): void {
  if (logLength(connection).log < 4 * LOG_PAGES) return;
  connection.exec(`PRAGMA busy_timeout = ${READERS_MS}; PRAGMA main.wal_checkpoint(RESTART);
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/** The derived files that were looked through and are whole: looking through a large one takes seconds. */
const WHOLE = new Set<string>();

/**
 * The error with which a statement of a thread over both files failed. Where the derived file is damaged, the file is
 * removed, so that the next start makes it again, and the error says so.
 */
export function withDerivedDamage(error: unknown, connection: DatabaseSync, database: string): unknown {
  const file = fileFor(database);
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

import { existsSync, realpathSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { DerivedSchema } from '../migration.ts';
import { makePrivateFileBeside } from '../private-files.ts';
import { BUSY_TIMEOUT_MS, CHECKPOINT_PAGES, openForReading } from './connection.ts';
import { isDamage } from './errors.ts';

/**
 * What can be made again from the rows of the database is in a file of its own beside it (decisions 0067), so that it
 * needs neither the writer's thread nor its fsync, and no backup has it. A crash of the machine may take the last
 * transactions of the file. Whoever keeps something there notes how far it has come, and goes on from there.
 */

/** The files of what is derived from a database: the file, and what SQLite keeps beside it. */
export const DERIVED_SUFFIXES = ['-derived', '-derived-wal', '-derived-shm'];

const CACHE_KB = 16_384;

/** A link gives the database a second name. All names must lead to one file. */
function fileFor(database: string): string {
  return `${existsSync(database) ? realpathSync(database) : database}-derived`;
}

/** Makes the file where it is missing, cannot be read or has another version. Called before anybody attaches it. */
export function prepareDerived(database: string, schema: DerivedSchema): void {
  if (versionOf(database) === schema.version) return;
  removeDerived(database);
  const file = fileFor(database);
  makePrivateFileBeside(database, file);
  const derived = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    derived.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
    // Another process that starts now may have come first.
    if (derived.prepare('PRAGMA user_version').get()?.user_version !== schema.version)
      for (const statement of [...schema.statements, `PRAGMA user_version = ${schema.version}`])
        derived.exec(statement);
    derived.exec('COMMIT');
  } finally {
    derived.close();
  }
}

/** Undefined where there is no file, or none that SQLite can read. */
function versionOf(database: string): unknown {
  const file = fileFor(database);
  if (!existsSync(file)) return undefined;
  const derived = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    return derived.prepare('PRAGMA user_version').get()?.user_version;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  } finally {
    derived.close();
  }
}

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
  const connection = new DatabaseSync(fileFor(database), { timeout: BUSY_TIMEOUT_MS });
  connection.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES / 4};
    PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -${CACHE_KB}`);
  connection.prepare('ATTACH ? AS service').run(`${pathToFileURL(realpathSync(database)).href}?mode=ro`);
  return connection;
}

/**
 * The error with which a statement over both files failed. Where the derived file is damaged, the file is removed, so
 * that the next start makes it again, and the error says so.
 */
export function withDerivedDamage(error: unknown, connection: DatabaseSync, database: string): unknown {
  if (!isDamage(error)) return error;
  // Once is enough: looking through a large file takes seconds.
  if (existsSync(fileFor(database)) && isWhole(connection)) return error;
  removeDerived(database);
  return new Error(
    `The file ${fileFor(database)} was damaged and is removed; restart the service, and it makes the file again.`,
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

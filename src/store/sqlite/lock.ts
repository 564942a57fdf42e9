import { existsSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFileBeside } from '../private-files.ts';
import { unusableFile } from './unusable.ts';

/**
 * Who uses a database file: any number of servers and commands share the file, or one move has it alone. The lock
 * is a lock of SQLite on a small file beside the database, so it ends with its process.
 */
export class FileLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Undefined when a move has the file. */
  static shared(file: string): FileLock | undefined {
    return FileLock.#take(file, 'BEGIN; SELECT count(*) FROM sqlite_schema');
  }

  /** Undefined when anybody uses the file. */
  static alone(file: string): FileLock | undefined {
    return FileLock.#take(file, 'BEGIN EXCLUSIVE');
  }

  release(): void {
    this.#database.close();
  }

  static #take(file: string, statements: string): FileLock | undefined {
    // A link gives the database a second name. All names must lead to one lock file.
    const lockFile = `${existsSync(file) ? realpathSync(file) : file}-lock`;
    makePrivateFileBeside(file, lockFile);
    const database = openLock(lockFile);
    try {
      database.exec(statements);
      return new FileLock(database);
    } catch (error) {
      database.close();
      if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
      throw error;
    }
  }
}

function openLock(lockFile: string): DatabaseSync {
  try {
    return new DatabaseSync(lockFile, { timeout: 0 });
  } catch (error) {
    throw unusableFile(lockFile, error);
  }
}

const SQLITE_BUSY = 5;

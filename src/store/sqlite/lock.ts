import { existsSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from './connection.ts';

/**
 * Who uses a database file: any number of servers and commands share it, or one move has it alone. The
 * lock is one of SQLite's own, on a small file beside the database, so it ends with its process.
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
    // One file may be known by several names; its lock must not be.
    const lockFile = `${existsSync(file) ? realpathSync(file) : file}-lock`;
    makePrivateFile(lockFile);
    const database = new DatabaseSync(lockFile, { timeout: 0 });
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

const SQLITE_BUSY = 5;

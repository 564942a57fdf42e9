import { existsSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../domain/operator-error.ts';
import { makePrivateFileBeside } from '../private-files.ts';
import { unusableFile } from './unusable.ts';

/** What a process that opens a database file is: the server of the file, or a command, which works beside a server. */
export type FileUser = 'server' | 'command';

/**
 * Who uses a database file: one server at most and any number of commands share the file, or one move has it alone.
 * The lock is a lock of SQLite on an empty file beside the database, so it ends with its process, also by SIGKILL.
 */
export class FileLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The lock of this user. Fails with OperatorError, which says who keeps the user out. */
  static of(file: string, user: FileUser): FileLock {
    const lock = user === 'server' ? FileLock.server(file) : FileLock.shared(file);
    if (lock) return lock;
    // Who lets a command in, but no server, is a server.
    const beside = user === 'server' ? FileLock.shared(file) : undefined;
    if (!beside) throw new OperatorError(`A move uses the database ${file}; wait until it has ended.`);
    beside.release();
    throw new OperatorError(
      `Another server uses the database ${file}; stop that one first, or set DATA_DIR to another folder. Several servers share a PostgreSQL database only.`,
    );
  }

  /** Undefined when another server or a move has the file. SQLite gives one RESERVED lock, beside any number of shared ones. */
  static server(file: string): FileLock | undefined {
    return FileLock.#take(file, 'BEGIN IMMEDIATE');
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
      // A journal in a file would outlive a process that is killed.
      database.exec(`PRAGMA journal_mode = MEMORY; ${statements}`);
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

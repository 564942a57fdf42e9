import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../domain/operator-error.ts';
import { makePrivateFileBeside, realPathOf } from '../private-files.ts';
import { unusableFile } from './unusable.ts';

/** A process that opens a database file: the one server of the file, or a command. */
export type FileUser = 'server' | 'command';

/**
 * Locks a database file: at most one server and any number of commands share it, or one move has it exclusively. The
 * lock is a lock of SQLite on an empty file in the same folder, so it ends with its process, also by SIGKILL.
 */
export class FileLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The lock of this user. Fails with an OperatorError that says who uses the file. */
  static of(file: string, user: FileUser): FileLock {
    const lock = user === 'server' ? FileLock.server(file) : FileLock.shared(file);
    if (lock) return lock;
    // If a command can use the file but a server cannot, another server uses it.
    const probe = user === 'server' ? FileLock.shared(file) : undefined;
    if (!probe) throw new OperatorError(`A move uses the database ${file}; wait until it has ended.`);
    probe.release();
    throw new OperatorError(
      `Another server uses the database ${file}; stop that one first, or set DATA_DIR to another folder. Several servers share a PostgreSQL database only.`,
    );
  }

  /**
   * Undefined if another server or a move uses the file. SQLite grants one RESERVED lock in addition to shared ones.
   */
  static server(file: string): FileLock | undefined {
    return FileLock.#take(file, 'BEGIN IMMEDIATE');
  }

  /** Undefined if a move uses the file. */
  static shared(file: string): FileLock | undefined {
    return FileLock.#take(file, 'BEGIN; SELECT count(*) FROM sqlite_schema');
  }

  /** Undefined if any process uses the file. A lock file that root makes gets the owner of `owned`. */
  static alone(file: string, owned = file): FileLock | undefined {
    return FileLock.#take(file, 'BEGIN EXCLUSIVE', owned);
  }

  release(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  static #take(file: string, statements: string, owned = file): FileLock | undefined {
    const lockFile = `${realPathOf(file)}-lock`;
    makePrivateFileBeside(owned, lockFile);
    const database = openLock(lockFile);
    try {
      // A journal in a file would outlive a killed process.
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

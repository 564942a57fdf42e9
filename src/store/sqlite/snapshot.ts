import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rollBack } from './transaction.ts';

/**
 * One read transaction for all short reads of one turn of the event loop. The reads share the cost of its locks, and
 * the statements of one operation see one state of the database.
 */
export class Snapshot {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #closing: NodeJS.Immediate | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
  }

  /** The reads that follow see what is committed now, until the turn ends or `close` is called. */
  open(): void {
    if (this.#closing) return;
    this.#begin.run();
    this.#closing = setImmediate(() => this.close());
  }

  /** Called when a write was acknowledged: the next read has to see that write. */
  close(): void {
    if (!this.#closing) return;
    clearImmediate(this.#closing);
    this.#closing = undefined;
    try {
      this.#end.run();
    } catch {
      // A page is damaged. The read that met the page has failed with that error already.
      rollBack(this.#database);
    }
  }
}

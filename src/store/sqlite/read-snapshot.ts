import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rollBack } from './roll-back.ts';

/**
 * When a snapshot ends by itself. `turn`: with the turn of the event loop. `callback`: with the callback of the turn that
 * opened it. Several processes that write need the shorter one: a turn may read a request that arrived after its snapshot
 * was opened, and that follows a write which another process has acknowledged meanwhile.
 */
export type SnapshotEnd = 'turn' | 'callback';

/**
 * One read transaction for the short reads of one turn of the event loop, or of one callback. The reads share the cost of
 * its locks, and the statements of one operation see one state of the database.
 */
export class ReadSnapshot {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #readVersion: StatementSync;
  readonly #endsWith: SnapshotEnd;
  #version: number | undefined;
  #isOpen = false;
  #ending: NodeJS.Immediate | undefined;
  /** Counts the snapshots, so that the end of one does not close a later one. */
  #number = 0;

  constructor(database: DatabaseSync, endsWith: SnapshotEnd) {
    this.#database = database;
    this.#endsWith = endsWith;
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
    this.#readVersion = database.prepare('PRAGMA main.data_version');
  }

  /** The next reads see what is committed now, until the snapshot ends or `close` is called. */
  open(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    this.#version = undefined;
    if (this.#endsWith === 'turn') this.#ending = setImmediate(() => this.close());
    else this.#closeAfterMicrotasks(++this.#number);
  }

  /** An operation goes on in microtasks, and a tick that a microtask asks for runs when none of them is left. */
  #closeAfterMicrotasks(number: number): void {
    queueMicrotask(() =>
      process.nextTick(() => {
        if (number === this.#number) this.close();
      }),
    );
  }

  /** Of the snapshot that is open: the same number as long as no other connection, in any process, has committed. */
  get version(): number {
    this.#version ??= Number(this.#readVersion.get()?.data_version);
    return this.#version;
  }

  /** Called when a write was acknowledged, because the next read has to see it. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearImmediate(this.#ending);
    try {
      this.#end.run();
    } catch {
      // A page is damaged. The read that needed the page has failed with that error already.
      rollBack(this.#database);
    }
  }
}

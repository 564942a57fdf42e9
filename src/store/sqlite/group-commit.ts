import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isUnavailable, unavailable } from '../../domain/failure.ts';
import { translateSqliteError } from './errors.ts';
import { failed, type Outcome } from './outcome.ts';
import { inTransaction } from './transaction.ts';

/** Runs one call inside the open transaction; it fails by throwing. */
type Run<Call> = (call: Call) => Promise<unknown>;

/**
 * Thrown when a call failed after it had changed something: without a savepoint, only the whole group can be
 * undone.
 */
class ChangesRemain extends Error {}

/**
 * Many writes in one transaction with one commit. Each write is done as a whole, or leaves no trace.
 *
 * A savepoint makes SQLite copy every page that a write touches, which is a sixth of what creating an item
 * costs. So a group first runs without savepoints. Most calls that fail do so before they have changed anything, and
 * leave nothing to undo. When a call fails later, the group is rolled back and run once more, with a savepoint for
 * each call. Nothing was acknowledged in between.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #changes: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #undo: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      // `run` reports the last row id, and the ids inside a search index are too large for a number.
      statement.setReadBigInts(true);
      return statement;
    };
    this.#changes = prepare('SELECT total_changes() AS changes');
    this.#savepoint = prepare('SAVEPOINT write');
    this.#release = prepare('RELEASE write');
    this.#undo = prepare('ROLLBACK TO write');
  }

  /** Resolves with one outcome for each call, in the order of the calls. What succeeded is on disk. */
  async run<Call>(calls: readonly Call[], run: Run<Call>): Promise<Outcome[]> {
    try {
      return await inTransaction(this.#database, () => each(calls, (call) => this.#runPlainly(call, run)));
    } catch (error) {
      if (!(error instanceof ChangesRemain)) return this.#allFailed(calls, error);
    }
    try {
      return await inTransaction(this.#database, () =>
        each(calls, (call) => this.#runInSavepoint(call, run)),
      );
    } catch (error) {
      return this.#allFailed(calls, error);
    }
  }

  async #runPlainly<Call>(call: Call, run: Run<Call>): Promise<Outcome> {
    const before = this.#countChanges();
    try {
      return { ok: true, value: await run(call) };
    } catch (error) {
      this.#requireTransaction(error);
      if (this.#countChanges() !== before) throw new ChangesRemain();
      return failed(error);
    }
  }

  async #runInSavepoint<Call>(call: Call, run: Run<Call>): Promise<Outcome> {
    this.#savepoint.run();
    try {
      const value = await run(call);
      this.#release.run();
      return { ok: true, value };
    } catch (error) {
      this.#requireTransaction(error);
      this.#undo.run();
      this.#release.run();
      return failed(error);
    }
  }

  #countChanges(): unknown {
    return this.#changes.get()?.changes;
  }

  /** On a full disk SQLite may end the transaction by itself: then the whole group fails. */
  #requireTransaction(error: unknown): void {
    if (this.#database.isTransaction) return;
    throw isUnavailable(error) ? error : unavailable(error);
  }

  /** Nothing of the group is on disk, so nothing of it is acknowledged. */
  #allFailed(calls: readonly unknown[], error: unknown): Outcome[] {
    const outcome = failed(translateSqliteError(error));
    return calls.map(() => outcome);
  }
}

async function each<Call>(calls: readonly Call[], run: (call: Call) => Promise<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const call of calls) outcomes.push(await run(call));
  return outcomes;
}

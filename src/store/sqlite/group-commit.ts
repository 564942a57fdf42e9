import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unavailable } from '../../domain/failure.ts';
import { translateSqliteError } from './errors.ts';
import { failed, type Outcome } from './outcome.ts';
import { inTransaction } from './transaction.ts';

/** Runs one call inside the open transaction; it fails by throwing. */
type Run<Call> = (call: Call) => Promise<unknown>;

/** Thrown when a call failed after it had changed something, and nothing but the whole can be undone. */
class ChangesRemain extends Error {}

/**
 * Many writes in one transaction, each whole or without a trace, with one commit for all of them.
 *
 * A savepoint makes SQLite copy every page that a write touches, which is a sixth of what creating an item
 * costs. So a group runs without them at first. A call that fails before it has changed anything, as
 * nearly all that fail do, leaves nothing to undo; if one fails later, the group is rolled back and
 * run once more, now with a savepoint for each call. Nothing was acknowledged in between.
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
      // `run` reports the last row id, and those inside a search index are too large for a number.
      statement.setReadBigInts(true);
      return statement;
    };
    this.#changes = prepare('SELECT total_changes() AS changes');
    this.#savepoint = prepare('SAVEPOINT write');
    this.#release = prepare('RELEASE write');
    this.#undo = prepare('ROLLBACK TO write');
  }

  /** One outcome for each call, in their order; those of success are on disk. */
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

  /** Out of space, SQLite may end the whole transaction by itself: then the group is lost as a whole. */
  #requireTransaction(error: unknown): void {
    if (!this.#database.isTransaction) throw unavailable(error);
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

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isUnavailable, unavailable } from '../../domain/failure.ts';
import { failed, type Outcome } from '../../domain/outcome.ts';
import { translateSqliteError } from './errors.ts';
import { inTransaction } from './transaction.ts';

/** Runs one call inside the open transaction. Fails by throwing. */
type Run<Call> = (call: Call) => Promise<unknown>;

/** A call failed after it had changed something. Without a savepoint, only the whole group can be undone. */
class ChangesRemain extends Error {}

/**
 * Many writes in one transaction with one commit. Each write is made as a whole, or leaves no trace.
 *
 * A savepoint makes SQLite copy every page that a write touches, which is a sixth of the cost of a usual insert. So a
 * group first runs without savepoints. Most failed calls fail before they have changed anything, and leave nothing to
 * undo. When a call fails later, the group is rolled back and run again with a savepoint for each call. Nothing was
 * acknowledged in between.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #changes: StatementSync;
  readonly #requirePlace: () => void;

  /** `requirePlace` fails where a later start would not find what is written. */
  constructor(database: DatabaseSync, requirePlace: () => void) {
    this.#database = database;
    this.#requirePlace = requirePlace;
    this.#changes = database.prepare('SELECT total_changes() AS changes');
  }

  /** Resolves with one outcome for each call, in the order of the calls. Successful calls are on disk. */
  async run<Call>(calls: readonly Call[], run: Run<Call>): Promise<Outcome[]> {
    try {
      return await this.#commit(() => each(calls, (call) => this.#runPlainly(call, run)));
    } catch (error) {
      if (!(error instanceof ChangesRemain)) return this.#allFailed(calls, error);
    }
    try {
      return await this.#commit(() => each(calls, (call) => this.#runInSavepoint(call, run)));
    } catch (error) {
      return this.#allFailed(calls, error);
    }
  }

  /** Looks before, so that nothing is written in vain, and after, because the place may be lost meanwhile. */
  async #commit(work: () => Promise<Outcome[]>): Promise<Outcome[]> {
    this.#requirePlace();
    const outcomes = await inTransaction(this.#database, work);
    this.#requirePlace();
    return outcomes;
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
    this.#database.exec('SAVEPOINT write');
    try {
      const value = await run(call);
      this.#database.exec('RELEASE write');
      return { ok: true, value };
    } catch (error) {
      this.#requireTransaction(error);
      this.#database.exec('ROLLBACK TO write; RELEASE write');
      return failed(error);
    }
  }

  #countChanges(): unknown {
    return this.#changes.get()?.changes;
  }

  /** On a full disk SQLite may end the transaction by itself. Then the whole group fails. */
  #requireTransaction(error: unknown): void {
    if (this.#database.isTransaction) return;
    throw isUnavailable(error) ? error : unavailable(error);
  }

  /** Nothing of the group is on disk, or only in files that no later start finds. So nothing of it is acknowledged. */
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

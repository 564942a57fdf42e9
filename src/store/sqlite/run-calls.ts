import type { DatabaseSync } from 'node:sqlite';
import { answerCalls, each } from '../../domain/answer-calls.ts';
import { withDerivedDamage } from './derived.ts';
import { kyselyOn, sqliteEngine } from './dialect.ts';
import { translateSqliteError } from './errors.ts';
import { answerNoting } from './noted-calls.ts';
import { type Call, loadOperations, operationNamed, type ThreadData } from './operations.ts';
import { rollBack } from './roll-back.ts';

interface Work extends ThreadData {
  readonly database: DatabaseSync;
  /** The statement that begins the transaction of a call. */
  readonly begin: 'BEGIN' | 'BEGIN IMMEDIATE';
  /** Called when a call begins. */
  readonly onCall?: () => void;
  /** Called when a call has been answered. */
  readonly afterwards?: () => void;
}

/** Runs the calls of a thread, each in a transaction of its own, and answers each at its end. */
export async function runCalls({ database, file, operationsUrl, begin, onCall, afterwards }: Work) {
  const operations = await loadOperations(operationsUrl);
  const db = kyselyOn(database);

  async function run({ name, input }: Call): Promise<unknown> {
    try {
      database.exec(begin);
      onCall?.();
      const value = await operationNamed(operations, name).run(db, input, sqliteEngine);
      database.exec('COMMIT');
      return value;
    } catch (error) {
      rollBack(database);
      throw translateSqliteError(withDerivedDamage(error, database, file));
    }
  }

  answerCalls<Call>({
    run: each((call) => answerNoting(call, run)),
    afterwards,
    close: () => database.close(),
  });
}

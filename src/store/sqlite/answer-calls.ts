import type { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import { withDerivedDamage } from './derived.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { translateSqliteError } from './errors.ts';
import { type Answer, type Call, READY, type Request } from './messages.ts';
import { loadOperations, operationNamed } from './operations.ts';
import { failed, type Outcome } from './outcome.ts';
import { rollBack } from './transaction.ts';

interface Work {
  readonly port: MessagePort;
  readonly operationsUrl: string;
  readonly database: DatabaseSync;
  /** The path of the service's database. */
  readonly file: string;
  /** The statement that begins the transaction of a call. */
  readonly begin: 'BEGIN' | 'BEGIN IMMEDIATE';
  /** Called when a call begins. */
  readonly onCall?: () => void;
  /** Called when a call has been answered. */
  readonly afterCall?: () => void;
}

/** Runs the calls of a thread, one after another, each in a transaction of its own, and answers each at its end. */
export async function answerCalls({
  port,
  operationsUrl,
  database,
  file,
  begin,
  onCall,
  afterCall,
}: Work): Promise<void> {
  const operations = await loadOperations(operationsUrl);
  const db = kyselyOn(database);
  let last: Promise<unknown> = Promise.resolve();

  async function run({ name, input }: Call): Promise<Outcome> {
    try {
      database.exec(begin);
      onCall?.();
      const value = await operationNamed(operations, name).run(db, input, sqliteEngine);
      database.exec('COMMIT');
      return { ok: true, value };
    } catch (error) {
      rollBack(database);
      return failed(translateSqliteError(withDerivedDamage(error, database, file)));
    }
  }

  port.postMessage(READY);
  port.on('message', (request: Request) => {
    last = last.then(async () => {
      if (request === 'close') {
        database.close();
        return port.close();
      }
      for (const [index, call] of request.calls.entries()) {
        const answer: Answer = { first: request.first + index, outcomes: [await run(call)] };
        port.postMessage(answer);
        afterCall?.();
      }
    });
  });
}

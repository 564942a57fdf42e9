import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../domain/answer-calls.ts';
import { runWrite } from '../operation.ts';
import { openForWriting } from './connection.ts';
import { kyselyOn, sqliteEngine } from './dialect.ts';
import { GroupCommit } from './group-commit.ts';
import { LogKeeper } from './log-keeper.ts';
import { groupNoting } from './noted-calls.ts';
import { type Call, loadOperations, operationNamed, type ThreadData } from './operations.ts';
import { OwnFiles } from './own-files.ts';

/**
 * The one writer (group commit). It runs the waiting writes in one transaction, commits them with one fsync, and only
 * then answers them, in their order.
 */

/** The most writes in a group. This bounds how long the first write waits for the last. */
const GROUP_LIMIT = 512;

const { file, operationsUrl } = workerData as ThreadData;
const operations = await loadOperations(operationsUrl);
const database = openForWriting(file);
// So that a statement can be undone, SQLite copies each page that it changes. Above 64 KB these copies go to a temporary
// file, and an insert may change 20 pages: in memory it costs half. Writes here are bounded, unlike schema steps.
database.exec('PRAGMA temp_store = MEMORY');
const db = kyselyOn(database);
const files = new OwnFiles(file);
const groupCommit = new GroupCommit(database, () => files.require());
const log = new LogKeeper(file, database);
const run = ({ name, input }: Call) => runWrite(operationNamed(operations, name), db, input, sqliteEngine);

answerCalls<Call>({
  run: (calls) => groupNoting(calls, run, (each) => groupCommit.run(calls, each)),
  together: GROUP_LIMIT,
  afterwards: () => log.tend(),
  async close() {
    await log.close();
    database.close();
  },
});

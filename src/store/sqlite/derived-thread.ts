import { workerData } from 'node:worker_threads';
import { giveWay } from '../../domain/priority.ts';
import { endLongLog, openDerived } from './derived.ts';
import type { ThreadData } from './operations.ts';
import { runCalls } from './run-calls.ts';

/** Runs writes of derived data one after another, at a low priority, because answering requests is more important. */

const { file, operationsUrl } = workerData as ThreadData;
const database = openDerived(file);
const afterwards = () => endLongLog(database);
await runCalls({ file, operationsUrl, database, begin: 'BEGIN IMMEDIATE', afterwards });
// Only now: on a busy machine a start at this priority takes seconds, and the first read of derived data waits for it.
giveWay();

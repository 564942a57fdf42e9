import { workerData } from 'node:worker_threads';
import { giveWay } from '../../domain/priority.ts';
import { answerCalls } from './answer-calls.ts';
import { endLongLog, openDerived } from './derived.ts';
import type { ThreadStart } from './messages.ts';

/** Writes what is derived from the rows, one call after another, at a low priority: answering requests comes first. */

const { file, operationsUrl, port } = workerData as ThreadStart;
const database = openDerived(file);
const afterCall = () => endLongLog(database);
await answerCalls({ port, operationsUrl, database, file, begin: 'BEGIN IMMEDIATE', afterCall });
// Not before: on a busy machine a start at this priority takes seconds, and the first search waits for it.
giveWay();

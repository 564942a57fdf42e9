import { workerData } from 'node:worker_threads';
import { giveWay } from '../../domain/priority.ts';
import { answerCalls } from './answer-calls.ts';
import { openDerived } from './derived.ts';
import type { ThreadStart } from './messages.ts';

/** Writes what is derived from the rows, one call after another, at a low priority: answering requests comes first. */

const { file, operationsUrl, port } = workerData as ThreadStart;
await answerCalls({ port, operationsUrl, database: openDerived(file), file, begin: 'BEGIN IMMEDIATE' });
// Not before: on a busy machine a start at this priority takes seconds, and the first search waits for it.
giveWay();

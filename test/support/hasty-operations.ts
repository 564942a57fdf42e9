import { workerData } from 'node:worker_threads';

/** A thread that loads these operations speaks before it has opened the database. */
workerData?.port.postMessage({ first: 1, outcomes: [] });

export { OPERATIONS } from './operations.ts';

import { parentPort, workerData } from 'node:worker_threads';
import { hashSync } from '@node-rs/argon2';
import { ARGON2 } from '../../src/passwords/hashing/parameters.ts';
import { PASSWORD } from '../datasets/password.ts';

/** Hashes without a pause for the given milliseconds, and answers with the hashes a second. */
const start = performance.now();
const end = start + Number(workerData);
let hashes = 0;
for (; performance.now() < end; hashes++) hashSync(PASSWORD, ARGON2);
parentPort?.postMessage((hashes * 1000) / (performance.now() - start));

import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { ARGON2 } from './parameters.ts';

/** Hashes one password after another, at the lowest priority: answering other requests comes first. */

/** On Linux priorities are per thread, so this lowers the calling thread alone (setpriority(2)). */
const LOWEST_PRIORITY = 19;

export type HashingJob =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

if (process.platform === 'linux') setPriority(0, LOWEST_PRIORITY);

parentPort?.on('message', (job: HashingJob) => {
  parentPort?.postMessage(
    job.kind === 'hash' ? hashSync(job.password, ARGON2) : verifySync(job.hash, job.password),
  );
});

import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { ARGON2 } from './parameters.ts';
import { giveWay } from './priority.ts';

/** Hashes one password after another, at the lowest priority: answering other requests comes first. */

export type HashingJob =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

giveWay();

parentPort?.on('message', (jobs: readonly HashingJob[]) => {
  parentPort?.postMessage(
    jobs.map((job) =>
      job.kind === 'hash' ? hashSync(job.password, ARGON2) : verifySync(job.hash, job.password),
    ),
  );
});

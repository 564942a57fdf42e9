import { workerData } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { HashingAnswer, HashingRequest, HashingStart } from './messages.ts';
import { ARGON2 } from './parameters.ts';
import { giveWay } from './priority.ts';

/** Hashes one password after another, at the lowest priority: answering other requests comes first. */

const { port } = workerData as HashingStart;

giveWay();

port.on('message', ({ number, jobs }: HashingRequest) => {
  const results = jobs.map((job) =>
    job.kind === 'hash' ? hashSync(job.password, ARGON2) : verifySync(job.hash, job.password),
  );
  const answer: HashingAnswer = { number, results };
  port.postMessage(answer);
});

import { workerData } from 'node:worker_threads';
import { hashSync } from '@node-rs/argon2';
import { giveWay } from '../../domain/priority.ts';
import { verifyHash } from './formats/formats.ts';
import type { HashingAnswer, HashingJob, HashingRequest, HashingStart } from './messages.ts';
import { ARGON2 } from './parameters.ts';

/** Hashes one password after another, at a low priority: answering other requests comes first. */

const { port } = workerData as HashingStart;

giveWay();

port.on('message', ({ number, jobs }: HashingRequest) => {
  const answer: HashingAnswer = { number, results: jobs.map(run) };
  port.postMessage(answer);
});

function run(job: HashingJob): string | boolean {
  if (job.kind === 'hash') return hashSync(job.password, ARGON2);
  if (job.beside !== undefined) verifyHash(job.beside, job.password);
  return verifyHash(job.hash, job.password);
}

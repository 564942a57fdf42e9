import { hashSync } from '@node-rs/argon2';
import { answerCalls, each } from '../../domain/answer-calls.ts';
import { giveWay } from '../../domain/priority.ts';
import { verifyHash } from './formats/formats.ts';
import { type HashingJob, TOGETHER } from './job.ts';
import { ARGON2 } from './parameters.ts';

/** Hashes one password after another, at a low priority, because other requests come first. */

giveWay();
answerCalls({ run: each(run), together: TOGETHER });

function run(job: HashingJob): string | boolean {
  if (job.kind === 'hash') return hashSync(job.password, ARGON2);
  if (job.beside !== undefined) verifyHash(job.beside, job.password);
  return verifyHash(job.hash, job.password, job.asSent);
}

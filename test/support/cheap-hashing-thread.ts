import { randomBytes } from 'node:crypto';
import { hashSync, verifySync } from '@node-rs/argon2';
import { answerCalls, each } from '../../src/domain/answer-calls.ts';
import { type HashingJob, TOGETHER } from '../../src/passwords/hashing/job.ts';
import { ARGON2 } from '../../src/passwords/hashing/parameters.ts';

/**
 * A hashing thread whose hashes cost a thousandth of the real ones and look like them, for tests whose point is not
 * the hash. It knows its own hashes by their salt. Any other hash is verified as the service verifies it.
 */

const CHEAP = { ...ARGON2, memoryCost: 8, timeCost: 1 };
const REAL_LABEL = `m=${ARGON2.memoryCost},t=${ARGON2.timeCost},`;
const CHEAP_LABEL = `m=${CHEAP.memoryCost},t=${CHEAP.timeCost},`;
/** The first nine bytes of each salt, and how they look in base64. */
const MARK = Buffer.from('cheap hash'.slice(0, 9));
const MARKED = `${REAL_LABEL}p=1$${MARK.toString('base64')}`;

answerCalls({ run: each(run), together: TOGETHER });

async function run(job: HashingJob): Promise<string | boolean> {
  if (job.kind === 'hash') {
    const salt = Buffer.concat([MARK, randomBytes(7)]);
    return hashSync(job.password, { ...CHEAP, salt }).replace(CHEAP_LABEL, REAL_LABEL);
  }
  if (job.hash.includes(MARKED)) return verifySync(job.hash.replace(REAL_LABEL, CHEAP_LABEL), job.password);
  const { verifyHash } = await import('../../src/passwords/hashing/formats/formats.ts');
  return verifyHash(job.hash, job.password, job.asSent);
}

import { signInAsker } from '../domain/admission/fair-queue.ts';
import { Failure } from '../domain/failure.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import type { Proof } from '../factors/factor.ts';
import { useProof } from '../factors/factors.ts';
import { type Answer, prove } from '../factors/prove.ts';
import { countRecoveryCodes } from '../factors/recovery-codes/codes.ts';
import { lockOpen, noteSignIn } from '../passwords/checked-account.ts';
import { recordEvent } from '../services/audit/record.ts';
import { giveBack, type Taken } from '../services/limits/shared.ts';
import { queueMail } from '../services/mail/queue.ts';
import { beginSession, type NewSession, newSession } from '../sessions/begin.ts';
import type { LoginResult } from '../sessions/contract.ts';
import type { Client } from '../sessions/device.ts';
import { writeOperation } from '../store/operation.ts';
import { challengeInvalid, findChallenge, refuseSecondFactor, tryChallenge } from './challenge.ts';
import type { SignInParts } from './parts.ts';

interface Completion extends NewSession {
  readonly challengeHash: string;
  readonly proof: Proof;
  readonly guess: Taken;
  readonly sendsMail: boolean;
}

/**
 * Uses up the challenge and the proof, and begins the session. Null where the proof was used already. Fails with
 * `challenge_invalid` where the challenge was used or has ended: the proof is good once more then.
 */
export const completeChallenge = writeOperation(
  'sign_in.complete_challenge',
  async (db, input: Completion, engine): Promise<{ username: string } | null> => {
    const { userId, challengeHash, proof, now } = input;
    const account = await lockOpen(db, userId, engine);
    if (!account) throw challengeInvalid();
    if (!(await useProof(db, userId, proof))) return null;
    const challenge = await db
      .deleteFrom('second_factor_challenges')
      .where('token_hash', '=', challengeHash)
      .where('user_id', '=', userId)
      .returning('user_id')
      .executeTakeFirst();
    if (!challenge) throw challengeInvalid();
    await giveBack(db, input.guess);
    if (proof.kind === 'recovery_code') {
      const { origin, sendsMail } = input;
      const [template, left] = ['recovery_code_used' as const, String(await countRecoveryCodes(db, userId))];
      const who = { accountId: userId, actorId: userId };
      await recordEvent(db, { event: template, at: now, origin, ...who, detail: { left } });
      const values = { username: account.username, left };
      const mail = { accountId: userId, recipient: account.email, template, values, now, origin };
      if (sendsMail) await queueMail(db, mail, engine);
    }
    await noteSignIn(db, userId, now);
    await beginSession(db, input, engine);
    return { username: account.username };
  },
  { askerOf: signInAsker, turns: 'exclusive' },
);

/**
 * Completes a sign-in whose password was right. Fails with `challenge_invalid`, `code_invalid` or `too_many_requests`.
 */
export async function completeSignIn(
  parts: SignInParts,
  { challenge, ...answer }: Answer & { readonly challenge: string },
  { origin, device }: Client,
): Promise<LoginResult> {
  const { store, sendsMail, clock } = parts;
  const challengeHash = hashOfToken(challenge);
  if (!(await store.read(findChallenge, challengeHash))) throw challengeInvalid();
  const presented = { tokenHash: challengeHash, origin, now: clock() };
  const { userId, newDevice, guess } = await store.write(tryChallenge, presented);
  const proof = await prove(parts, { userId, loginHash: challengeHash }, answer);
  const { session, answer: answerSignedIn } = newSession(parts, userId, { origin, device });
  const waiting = { ...session, newDevice, challengeHash, guess, sendsMail };
  const completed = proof && (await store.write(completeChallenge, { ...waiting, proof }));
  if (!completed) {
    const isLastFree = guess.left < 1;
    await store.write(refuseSecondFactor, { userId, isLastFree, now: session.now, origin });
    const message = answer.response
      ? 'This passkey was not accepted; use it again, or send a code.'
      : 'The code is wrong or was used already; send another one.';
    throw new Failure({ error: 'code_invalid', message });
  }
  return answerSignedIn(completed.username);
}

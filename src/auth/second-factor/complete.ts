import { Failure } from '../../domain/failure.ts';
import { hashOfToken } from '../../domain/token-hash.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { queueMail } from '../../services/mail/queue.ts';
import { writeOperation } from '../../store/operation.ts';
import { beginSession, type NewSession } from '../begin-session.ts';
import { openAccount } from '../checked-account.ts';
import type { LoginResult } from '../contract.ts';
import type { Client } from '../device.ts';
import type { Proof } from '../factor.ts';
import { useProof } from '../factors.ts';
import { newSession } from '../new-session.ts';
import type { AuthParts } from '../parts.ts';
import { type Guess, giveGuessBack } from './guesses.ts';
import { type Answer, prove } from './prove.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import { challengeInvalid, findChallenge, refuseSecondFactor, tryChallenge } from './try-challenge.ts';

interface Completion extends NewSession {
  readonly challengeHash: string;
  readonly proof: Proof;
  readonly guess: Guess;
  readonly sendsMail: boolean;
}

/**
 * Uses up the challenge and the proof, and begins the session. Null where the proof was used already. Fails with
 * `challenge_invalid` where the challenge was used or has ended: the proof is good once more then.
 */
export const completeChallenge = writeOperation(
  'auth.complete_challenge',
  async (db, input: Completion, engine): Promise<{ username: string } | null> => {
    const { userId, challengeHash, proof, now } = input;
    const account = await openAccount(db, userId)
      .set({ last_sign_in_at: now })
      .returning(['username', 'email'])
      .executeTakeFirst();
    if (!account) throw challengeInvalid();
    if (!(await useProof(db, userId, proof))) return null;
    const challenge = await db
      .deleteFrom('second_factor_challenges')
      .where('token_hash', '=', challengeHash)
      .where('user_id', '=', userId)
      .returning('user_id')
      .executeTakeFirst();
    if (!challenge) throw challengeInvalid();
    await giveGuessBack(db, input.guess);
    if (proof.kind === 'recovery_code') {
      const left = String(await countRecoveryCodes(db, userId));
      const who = { accountId: userId, actorId: userId };
      const { origin, sendsMail } = input;
      await recordEvent(db, { event: 'recovery_code_used', at: now, origin, ...who, detail: { left } });
      const address = { accountId: userId, recipient: account.email };
      const mail = { ...address, template: 'recovery_code_used', origin } as const;
      const values = { username: account.username, left };
      if (sendsMail) await queueMail(db, { ...mail, values, now }, engine);
    }
    await beginSession(db, input, engine);
    return { username: account.username };
  },
);

/**
 * Completes a sign-in whose password was right. Fails with `challenge_invalid`, `code_invalid` or `too_many_requests`.
 */
export async function completeSignIn(
  parts: AuthParts,
  { challenge, ...answer }: Answer & { readonly challenge: string },
  { origin, device }: Client,
): Promise<LoginResult> {
  const challengeHash = hashOfToken(challenge);
  if (!(await parts.store.read(findChallenge, challengeHash))) throw challengeInvalid();
  const presented = { tokenHash: challengeHash, source: origin.source, now: parts.clock() };
  const tried = await parts.store.write(tryChallenge, presented);
  const { userId, newDevice, guess } = tried;
  const proof = await prove(parts, { userId, loginHash: presented.tokenHash }, answer);
  const { session, answer: answerSignedIn } = newSession(parts, userId, { origin, device });
  const { sendsMail } = parts;
  const waiting = { ...session, newDevice, challengeHash, guess, sendsMail };
  const completed = proof && (await parts.store.write(completeChallenge, { ...waiting, proof }));
  if (!completed) {
    const { isLastFree } = guess;
    await parts.store.write(refuseSecondFactor, { userId, isLastFree, now: session.now, origin });
    const message = answer.response
      ? 'This passkey was not accepted; use it again, or send a code.'
      : 'The code is wrong or was used already; send another one.';
    throw new Failure({ error: 'code_invalid', message });
  }
  return answerSignedIn(completed.username);
}

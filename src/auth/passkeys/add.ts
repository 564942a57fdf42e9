import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import type { CallerKey } from '../../accounts/living-session.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { type Failure, invalid, limitReached, taken } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { spendBudget } from '../../services/throttle/account-budget.ts';
import { translateUnique } from '../../store/constraint.ts';
import type { Db } from '../../store/tables.ts';
import { settleFactors } from '../factors.ts';
import type { AuthParts } from '../parts.ts';
import { newRandomId } from '../random-id.ts';
import { tellOwner } from '../tell-owner.ts';
import { ADDITIONS, registrationOf } from './begin.ts';
import type { OpenedChallenge } from './challenges.ts';
import type { RegistrationResponse } from './contract.ts';
import type { PasskeyRow } from './list.ts';
import { noPasskeys } from './relying-party.ts';
import { useChallenge } from './used-challenges.ts';
import { challengeIn, type NewCredential, verifyRegistration } from './verify.ts';

/** Of an account. */
const MOST = 20;

interface Addition extends CallerInput {
  readonly id: string;
  readonly name: string;
  readonly credential: NewCredential;
  readonly transports: readonly string[];
  readonly challenge: OpenedChallenge;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Keeps a passkey that was checked, which is a second factor too, and tells the owner. Fails with
 * `recent_sign_in_required` and `too_many_requests`; with `validation_failed` where the challenge was used before; with
 * `taken`; and with `limit_reached` where the account has as many as it may.
 */
export const keepPasskey = ownAccountWrite(
  'auth.keep_passkey',
  async (db, input: Addition, caller, engine): Promise<void> => {
    const { userId, sessionId, hasSecondFactor } = caller;
    const { now, origin, sendsMail } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await spendBudget(db, ADDITIONS, userId, now);
    if (!(await useChallenge(db, input.challenge))) throw refused();
    await requireRoom(db, userId);
    await insertPasskey(db, userId, input);
    if (!hasSecondFactor) await settleFactors(db, userId, { mustHave: false });
    await recordEvent(db, {
      event: 'passkey_added',
      at: now,
      origin,
      accountId: userId,
      actorId: userId,
      sessionId,
    });
    await engine.publish(db, { key: sessionId });
    await tellOwner(db, { userId, template: 'passkey_added', sendsMail, now, origin }, engine);
  },
);

async function requireRoom(db: Db, userId: number): Promise<void> {
  const { total } = await db
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (Number(total) >= MOST) throw limitReached(`An account has ${MOST} passkeys at most; remove one first.`);
}

async function insertPasskey(
  db: Db,
  userId: number,
  { id, name, credential, transports, now }: Addition,
): Promise<void> {
  const row = {
    id,
    user_id: userId,
    credential_id: credential.credentialId,
    public_key: credential.publicKey,
    counter: credential.counter,
    transports: transports.join(','),
    name,
    created_at: now,
  };
  try {
    await db.insertInto('passkeys').values(row).execute();
  } catch (error) {
    translateUnique(error, {
      passkeys_credential_id: () => taken('response', 'This passkey is registered already.'),
    });
  }
}

interface NewPasskey {
  readonly name: string;
  readonly response: RegistrationResponse;
}

/** Adds a passkey to the caller's account. Fails as `keepPasskey`, and with `no_passkeys` and `validation_failed`. */
export async function addPasskey(
  parts: AuthParts,
  caller: CallerKey,
  { name, response }: NewPasskey,
  origin: Origin,
): Promise<PasskeyRow> {
  const { relyingParty, challenges } = parts.passkeys;
  if (!relyingParty) throw noPasskeys();
  const now = parts.clock();
  const text = challengeIn(response.response.clientDataJSON) ?? '';
  const challenge = challenges.open(text, registrationOf(caller), now);
  if (!challenge) throw refused();
  const credential = await verifyRegistration(response, { relyingParty, challenge: text });
  if (!credential) throw refused();
  const id = newRandomId();
  await parts.store.write(keepPasskey, {
    id,
    name,
    credential,
    transports: response.response.transports ?? [],
    challenge,
    sendsMail: parts.sendsMail,
    caller,
    origin,
    now,
  });
  parts.authenticator.forget({ key: caller.sessionId });
  return { id, name, created_at: now, last_used_at: null };
}

function refused(): Failure {
  const message =
    'This passkey was not made on a page of this service for this session and just now; begin again.';
  return invalid([{ field: 'response', rule: 'passkey', message }]);
}

import { type Failure, invalid, limitReached, taken } from '../../domain/failure.ts';
import { ROW_LIMITS } from '../../domain/limits.ts';
import type { Origin } from '../../domain/origin.ts';
import { spend } from '../../services/limits/shared.ts';
import { ownAccountWrite } from '../../sessions/caller-write.ts';
import type { CallerKey } from '../../sessions/living-session.ts';
import { newRandomId } from '../../sessions/random-id.ts';
import { requireRecentSignIn } from '../../sessions/recent-sign-in.ts';
import { translateUnique } from '../../store/constraint.ts';
import { hasRows } from '../../store/pages.ts';
import type { Db } from '../../store/tables.ts';
import { settleFactors } from '../factors.ts';
import { noteOwnChange, type OwnChange } from '../own-change.ts';
import type { FactorParts } from '../parts.ts';
import { registrationOf } from './begin.ts';
import type { OpenedChallenge } from './challenges.ts';
import type { RegistrationResponse } from './contract.ts';
import type { PasskeyRow } from './list.ts';
import { noPasskeys } from './relying-party.ts';
import { useChallenge } from './use.ts';
import { challengeIn, type NewCredential, verifyRegistration } from './verify.ts';

interface Addition extends OwnChange {
  readonly id: string;
  readonly name: string;
  readonly credential: NewCredential;
  readonly transports: readonly string[];
  readonly challenge: OpenedChallenge;
}

/**
 * Stores a passkey that was checked, and tells the owner. The passkey is a second factor too. Fails with
 * `recent_sign_in_required`, `too_many_requests` and `taken`; with `validation_failed` where the challenge was used
 * before; and with `limit_reached` where the account has as many as it may.
 */
export const keepPasskey = ownAccountWrite(
  'factors.keep_passkey',
  async (db, input: Addition, caller, engine): Promise<void> => {
    const { userId, sessionId, hasSecondFactor } = caller;
    const { now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await spend(db, 'passkey_addition', userId, now);
    if (!(await useChallenge(db, input.challenge))) throw refused();
    const passkeys = db.selectFrom('passkeys').select('id').where('user_id', '=', userId);
    if (await hasRows(passkeys, ROW_LIMITS.passkeys))
      throw limitReached(`An account has ${ROW_LIMITS.passkeys} passkeys at most; remove one first.`);
    await insertPasskey(db, userId, input);
    if (!hasSecondFactor) await settleFactors(db, userId, { mustHave: false, origin }, engine);
    await noteOwnChange(db, 'passkey_added', input, caller, engine);
  },
);

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

/** Adds a passkey to the caller's account. Fails as `keepPasskey`, and with `no_passkeys` and `validation_failed`. */
export async function addPasskey(
  parts: FactorParts,
  caller: CallerKey,
  { name, response }: { readonly name: string; readonly response: RegistrationResponse },
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
  return { id, name, created_at: now, last_used_at: null };
}

function refused(): Failure {
  const message =
    'This passkey was not made on a page of this service for this session and just now; begin again.';
  return invalid([{ field: 'response', rule: 'passkey', message }]);
}

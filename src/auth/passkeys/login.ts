import { Failure } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import type { PasskeyRequestOptions } from '../../domain/second-factor.ts';
import { recordFailedSignIn } from '../../services/audit/failed-sign-in.ts';
import { type AccountBudget, perHour, spendBudget } from '../../services/throttle/account-budget.ts';
import { readStanding } from '../../services/throttle/standing.ts';
import { writeOperation } from '../../store/operation.ts';
import { beginSession, type NewSession } from '../begin-session.ts';
import { openAccount } from '../checked-account.ts';
import type { LoginResult } from '../contract.ts';
import type { Client } from '../device.ts';
import { requireProvenAddress } from '../email/request-verification.ts';
import { newSession } from '../new-session.ts';
import type { AuthParts } from '../parts.ts';
import { checkUse } from './check-use.ts';
import type { AuthenticationResponse } from './contract.ts';
import { noPasskeys } from './relying-party.ts';
import { requestOptions } from './request-options.ts';
import { type PasskeyProof, usePasskey } from './use.ts';

/** What the challenge of a sign-in is good for. */
const SIGN_IN = 'sign-in';

/** Begins a sign-in of nobody in particular: the browser lets the person choose. Fails with `no_passkeys`. */
export function beginPasskeyLogin(parts: AuthParts): PasskeyRequestOptions {
  const options = requestOptions(parts, SIGN_IN, []);
  if (!options) throw noPasskeys();
  return options;
}

interface PasskeySignIn extends NewSession {
  readonly proof: PasskeyProof;
  readonly origin: Origin;
}

/** Each leaves a session and an event, and costs no hash of a password. */
const SIGN_INS: AccountBudget = {
  kind: 'passkey_sign_in',
  ...perHour(500),
  message: 'Your account signed in too often; try again later.',
};

/**
 * Begins a session. Returns why not, where the account or the passkey is of no use any more. Fails with
 * `too_many_requests`.
 */
export const startPasskeySession = writeOperation(
  'auth.start_passkey_session',
  async (db, input: PasskeySignIn, engine): Promise<string | undefined> => {
    const { userId, proof, origin, now } = input;
    const account = openAccount(db, userId).set({ last_sign_in_at: now }).returning('id');
    if (!(await account.executeTakeFirst())) return 'account';
    const refused = await usePasskey(db, userId, proof);
    if (refused !== undefined) return refused;
    // The challenge is used up: somebody who has captured a use of the passkey, and sends it again, does not come here.
    await spendBudget(db, SIGN_INS, userId, now);
    const { newDevice } = await readStanding(db, { userId, login: '', source: origin.source, now });
    await beginSession(db, { ...input, newDevice }, engine);
    return undefined;
  },
);

/**
 * Signs in by a passkey alone. Whatever is wrong with it, the answer is the same `bad_credentials`. Fails with
 * `no_passkeys` and `too_many_requests` too.
 */
export async function loginWithPasskey(
  parts: AuthParts,
  response: AuthenticationResponse,
  { origin, device }: Client,
): Promise<LoginResult> {
  const { passkeys, store, clock } = parts;
  if (!passkeys.relyingParty) throw noPasskeys();
  passkeys.refusals.spend(origin.source, clock());
  const checked = await checkUse(parts, response, SIGN_IN);
  if ('because' in checked) throw await refusal(parts, { ...checked, origin });
  const { user, proof } = checked;
  const refuse = (because: string) => refusal(parts, { accountId: user.id, because, origin });
  // The browser was told of no account, so the authenticator has to say whose passkey it is.
  if (response.response.userHandle === undefined) throw await refuse('handle');
  await requireProvenAddress(parts, user, origin);
  const { session, answer } = newSession(parts, user.id, { origin, device });
  const refused = await store.write(startPasskeySession, { ...session, proof, origin });
  if (refused !== undefined) throw await refuse(refused);
  passkeys.refusals.giveBack(origin.source);
  return answer(user.username);
}

interface Refusal {
  /** Null where the passkey is nobody's. */
  readonly accountId: number | null;
  readonly because: string;
  readonly origin: Origin;
}

/** Records the failure, and tells the client no more of it than that. */
async function refusal({ store, clock }: AuthParts, refused: Refusal): Promise<Failure> {
  await store.write(recordFailedSignIn, { event: 'passkey_refused', ...refused, at: clock() });
  const message = 'This passkey was not accepted; try again, or log in with your password.';
  return new Failure({ error: 'bad_credentials', message });
}

import { signInAsker } from '../domain/admission/fair-queue.ts';
import { Failure } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import type { PasskeyRequestOptions } from '../domain/second-factor.ts';
import { checkUse } from '../factors/passkeys/check-use.ts';
import type { AuthenticationResponse } from '../factors/passkeys/contract.ts';
import { noPasskeys } from '../factors/passkeys/relying-party.ts';
import { requestOptions } from '../factors/passkeys/request-options.ts';
import { type PasskeyProof, usePasskey } from '../factors/passkeys/use.ts';
import { lockOpen, maySignIn, noteSignIn } from '../passwords/checked-account.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import { spend } from '../services/limits/shared.ts';
import { readAllowance } from '../services/limits/wrong-passwords.ts';
import { requireProvenAddress } from '../services/links/verification.ts';
import { beginSession, type NewSession, newSession } from '../sessions/begin.ts';
import type { LoginResult } from '../sessions/contract.ts';
import type { Client } from '../sessions/device.ts';
import { writeOperation } from '../store/operation.ts';
import type { SignInParts } from './parts.ts';

/** What the challenge of a sign-in is good for. */
const SIGN_IN = 'sign-in';

/** Begins a sign-in of nobody in particular: the browser lets the person choose. Fails with `no_passkeys`. */
export function beginPasskeyLogin(parts: SignInParts): PasskeyRequestOptions {
  const options = requestOptions(parts, SIGN_IN, []);
  if (!options) throw noPasskeys();
  return options;
}

interface PasskeySignIn extends NewSession {
  readonly proof: PasskeyProof;
  readonly origin: Origin;
}

/**
 * Begins a session. Returns why not, where the account or the passkey is of no use any more. Fails with
 * `too_many_requests`.
 */
export const startPasskeySession = writeOperation(
  'sign_in.start_passkey_session',
  async (db, input: PasskeySignIn, engine): Promise<string | undefined> => {
    const { userId, proof, origin, now } = input;
    if (!(await lockOpen(db, userId, engine))) return 'account';
    const refused = await usePasskey(db, userId, proof);
    if (refused !== undefined) return refused;
    // The challenge is used up, so a captured use of the passkey that is sent again does not count here.
    await spend(db, 'passkey_sign_in', userId, now);
    const { newDevice } = await readAllowance(db, { userId, login: '', source: origin.source, now });
    await noteSignIn(db, userId, now);
    await beginSession(db, { ...input, newDevice }, engine);
    return undefined;
  },
  { askerOf: signInAsker, turns: 'exclusive' },
);

/**
 * Signs in by a passkey alone. Whatever is wrong with it, the answer is the same `bad_credentials`. Fails with
 * `no_passkeys` and `too_many_requests` too.
 */
export async function loginWithPasskey(
  parts: SignInParts,
  response: AuthenticationResponse,
  { origin, device }: Client,
): Promise<LoginResult> {
  const { passkeys, store, limits } = parts;
  if (!passkeys.relyingParty) throw noPasskeys();
  limits.spend('refusedPasskeys', origin.source);
  const checked = await checkUse(parts, response, SIGN_IN);
  if ('because' in checked) throw await refusal(parts, { ...checked, origin });
  const { user, proof } = checked;
  const refuse = (because: string) => refusal(parts, { accountId: user.id, because, origin });
  // The browser was told of no account, so the authenticator has to say whose passkey it is.
  if (response.response.userHandle === undefined) throw await refuse('handle');
  // Before the address is looked at, so that such an account is answered as any other refusal.
  if (!maySignIn(user)) throw await refuse('account');
  await requireProvenAddress(parts, user, origin);
  const { session, answer } = newSession(parts, user.id, { origin, device });
  const refused = await store.write(startPasskeySession, { ...session, proof, origin });
  if (refused !== undefined) throw await refuse(refused);
  limits.giveBack('refusedPasskeys', origin.source);
  return answer(user.username);
}

/** Records the failure, and tells the client no more of it. `accountId` is null where the passkey is nobody's. */
async function refusal(
  { store, clock }: SignInParts,
  refused: { readonly accountId: number | null; readonly because: string; readonly origin: Origin },
): Promise<Failure> {
  await store.write(recordFailedSignIn, { event: 'passkey_refused', ...refused, at: clock() });
  const message = 'This passkey was not accepted; try again, or log in with your password.';
  return new Failure({ error: 'bad_credentials', message });
}

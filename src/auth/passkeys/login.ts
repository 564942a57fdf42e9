import { Failure } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordFailedSignIn } from '../../services/audit/failed-sign-in.ts';
import { readStanding } from '../../services/throttle/standing.ts';
import { readOperation, writeOperation } from '../../store/operation.ts';
import { beginSession, type NewSession } from '../begin-session.ts';
import type { LoginResult } from '../contract.ts';
import { IDLE_MS } from '../lifetimes.ts';
import type { AuthParts } from '../parts.ts';
import { issueTokens } from '../tokens.ts';
import { CHALLENGE_MS, type OpenedChallenge } from './challenges.ts';
import type { AuthenticationResponse, RequestOptions } from './contract.ts';
import { requireRelyingParty } from './relying-party.ts';
import { type PasskeyUse, recordPasskeyUse } from './use.ts';
import { useChallenge } from './used-challenges.ts';
import { challengeIn, verifyAuthentication } from './verify.ts';

/** What the challenge of a sign-in is good for. */
const SIGN_IN = 'sign-in';

/** Begins a sign-in of nobody in particular: the browser lets the person choose. Fails with `no_passkeys`. */
export function beginPasskeyLogin({ passkeys, clock }: AuthParts): RequestOptions {
  const { id } = requireRelyingParty(passkeys.relyingParty);
  return {
    challenge: passkeys.challenges.issue(SIGN_IN, clock()),
    rpId: id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: [],
  };
}

/** The passkey with this credential, its account, and how whoever uses it stands; undefined for one that nobody has. */
export const findPasskey = readOperation(
  'auth.find_passkey',
  async (db, { credentialId, source, now }: { credentialId: string; source: string; now: number }) => {
    const passkey = await db
      .selectFrom('passkeys')
      .innerJoin('passkey_owners', 'passkey_owners.user_id', 'passkeys.user_id')
      .innerJoin('users', 'users.id', 'passkeys.user_id')
      .select(['passkeys.id', 'passkeys.public_key', 'passkeys.user_id', 'passkey_owners.handle'])
      .select('users.username')
      .where('passkeys.credential_id', '=', credentialId)
      .executeTakeFirst();
    if (!passkey) return undefined;
    const { newDevice } = await readStanding(db, { userId: passkey.user_id, login: '', source, now });
    return { ...passkey, newDevice };
  },
);

interface PasskeySignIn extends NewSession, PasskeyUse {
  readonly challenge: OpenedChallenge;
}

/** Begins a session, and uses the challenge up. Returns why not, where the passkey is of no use any more. */
export const startPasskeySession = writeOperation(
  'auth.start_passkey_session',
  async (db, input: PasskeySignIn, engine): Promise<string | undefined> => {
    const account = db.selectFrom('users').select('id').where('id', '=', input.userId);
    const enabled = account.where('disabled_at', 'is', null).forNoKeyUpdate();
    if (!(await enabled.executeTakeFirst())) return 'account';
    if (!(await useChallenge(db, input.challenge))) return 'challenge';
    const refused = await recordPasskeyUse(db, input);
    if (refused !== undefined) return refused;
    await beginSession(db, input, engine);
    return undefined;
  },
);

/** Who uses the passkey. */
interface Client {
  readonly origin: Origin;
  /** What the client tells of itself (device.ts). */
  readonly device?: string | undefined;
}

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
  const relyingParty = requireRelyingParty(passkeys.relyingParty);
  const now = clock();
  const { source } = origin;
  passkeys.refusals.spend(source, now);
  const text = challengeIn(response.response.clientDataJSON) ?? '';
  const challenge = passkeys.challenges.open(text, SIGN_IN, now);
  if (!challenge) throw await refusal(parts, { accountId: null, because: 'challenge', origin });
  const passkey = await store.read(findPasskey, { credentialId: response.id, source, now });
  if (!passkey) throw await refusal(parts, { accountId: null, because: 'unknown', origin });
  const { user_id: userId, handle, public_key, username, newDevice } = passkey;
  const refuse = (because: string) => refusal(parts, { accountId: userId, because, origin });
  // The browser was told of no account, so the authenticator says whose passkey it is.
  if (response.response.userHandle !== handle) throw await refuse('handle');
  const counter = await verifyAuthentication(response, { relyingParty, challenge: text }, public_key);
  if (counter === undefined) throw await refuse('proof');

  const refreshToken = parts.refreshTokens.first();
  const refused = await store.write(startPasskeySession, {
    sessionId: refreshToken.sessionId,
    tokenHash: refreshToken.hash,
    userId,
    passkeyId: passkey.id,
    counter,
    challenge,
    newDevice,
    device,
    most: parts.sessionLimit,
    now: clock(),
    origin,
  });
  if (refused !== undefined) throw await refuse(refused);
  passkeys.refusals.giveBack(source);
  return issueTokens(parts, refreshToken, IDLE_MS / 1000, { id: userId, username });
}

interface Refusal {
  /** Null where the passkey is nobody's. */
  readonly accountId: number | null;
  readonly because: string;
  readonly origin: Origin;
}

/** Records the failure, and says no more of it than that. */
async function refusal({ store, clock }: AuthParts, refused: Refusal): Promise<Failure> {
  await store.write(recordFailedSignIn, { event: 'passkey_refused', ...refused, at: clock() });
  const message = 'This passkey was not accepted; try again, or log in with your password.';
  return new Failure({ error: 'bad_credentials', message });
}

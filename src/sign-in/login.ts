import { signInAsker } from '../domain/admission/fair-queue.ts';
import { type CheckedAccount, lockChecked, signInRefusal } from '../passwords/checked-account.ts';
import { isReplaceable } from '../passwords/hashing/parameters.ts';
import { type Credentials, provePassword, refuse } from '../passwords/prove.ts';
import { requireProvenAddress } from '../services/links/verification.ts';
import { beginSession, type NewSession, newSession } from '../sessions/begin.ts';
import type { LoginResult } from '../sessions/contract.ts';
import type { Client } from '../sessions/device.ts';
import { writeOperation } from '../store/operation.ts';
import { challengeSignIn } from './challenge.ts';
import type { SecondFactorChallenge } from './contract.ts';
import type { SignInParts } from './parts.ts';

/** Begins a session of an account without a second factor. False when the account is not as it was checked. */
export const startSession = writeOperation(
  'sign_in.start_session',
  async (db, input: NewSession & Omit<CheckedAccount, 'hasSecondFactor'>, engine) => {
    const checked = { ...input, hasSecondFactor: false, signedInAt: input.now };
    if (!(await lockChecked(db, checked, engine))) return false;
    await beginSession(db, input, engine);
    return true;
  },
  { askerOf: signInAsker, turns: 'exclusive' },
);

/**
 * Logs in. An unknown name, a wrong password and a disabled account get the same `bad_credentials`
 * after the same work, so that nobody learns which accounts exist, and `too_many_requests` after the same number
 * of mistakes. Where the account has a second factor, the sign-in goes on with the challenge that is returned.
 */
export async function login(
  parts: SignInParts,
  credentials: Credentials,
  client: Client,
): Promise<LoginResult | SecondFactorChallenge> {
  // The account may change between the check and the session: another login hashes the same password again, the
  // password is replaced, or a second factor is added or removed. Then the new state is checked once more.
  const first = await tryLogin(parts, credentials, client);
  if (typeof first === 'object') return first;
  const second = await tryLogin(parts, credentials, client);
  if (typeof second === 'object') return second;
  return refuse(parts, { accountId: second, charges: [], isLastFree: false, origin: client.origin });
}

/** The account's id when the password was right, but the account is no longer what it was checked against. */
async function tryLogin(
  parts: SignInParts,
  credentials: Credentials,
  { origin, device }: Client,
): Promise<LoginResult | SecondFactorChallenge | number> {
  const { source } = origin;
  const { account, isKnown, newDevice, line } = await provePassword(parts, credentials, origin);
  const refusal = signInRefusal(account);
  if (refusal)
    await refuse(parts, { accountId: account.id, charges: [], isLastFree: false, origin }, refusal);

  await requireProvenAddress(parts, account, origin);
  const proven = { source, isKnown: true };
  const { password } = credentials;
  const checked = {
    userId: account.id,
    checkedHash: account.password_hash,
    newHash: isReplaceable(account.password_hash, password)
      ? await parts.hashing.hash(password, proven)
      : undefined,
  };
  if (account.second_factor === 1) {
    const device = { line, isKnown, origin };
    const challenge = await challengeSignIn(parts, { ...checked, hasSecondFactor: true, ...device });
    return challenge ?? account.id;
  }
  const { session, answer } = newSession(parts, account.id, { origin, device });
  const started = await parts.store.write(startSession, { ...session, ...checked, newDevice });
  return started ? answer(account.username) : account.id;
}

import { findByKey } from '../accounts/find.ts';
import { Failure } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import { countMistake } from '../services/throttle/mistakes.ts';
import { type Attempt, type Debt, readStanding } from '../services/throttle/standing.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { beginSession, type NewSession } from './begin-session.ts';
import { type CheckedAccount, lockChecked } from './checked-account.ts';
import type { LoginResult } from './contract.ts';
import type { Client } from './device.ts';
import { requireProvenAddress } from './email/request-verification.ts';
import { isOutdated, NOBODYS_HASH } from './hashing/parameters.ts';
import { hindranceOf, isUsable } from './hindrance.ts';
import { newSession } from './new-session.ts';
import type { AuthParts } from './parts.ts';
import { challengeSignIn } from './second-factor/challenge.ts';

export interface Credentials {
  /** User name or e-mail address, in any spelling that folds to it. */
  readonly username: string;
  readonly password: string;
}

/** The account that the login leads to, if any, and how whoever sends it stands: the same work for both. */
export const findAccount = readOperation(
  'auth.find_account',
  async (db, { login, source, now }: Omit<Attempt, 'userId'>) => {
    const key = foldKey(login);
    const account = await findByKey(db, key);
    return { account, standing: await readStanding(db, { userId: account?.id, login: key, source, now }) };
  },
);

/** Begins a session of an account without a second factor. False when the account is not as it was checked. */
export const startSession = writeOperation(
  'auth.start_session',
  async (db, input: NewSession & Omit<CheckedAccount, 'hasSecondFactor'>, engine) => {
    if (!(await lockChecked(db, { ...input, hasSecondFactor: false, signedInAt: input.now }))) return false;
    await beginSession(db, input, engine);
    return true;
  },
);

interface RefusedSignIn {
  /** Null where the name is nobody's. */
  readonly accountId: number | null;
  /** What the mistake adds to what is owed; nothing where the password was right. */
  readonly debts: readonly Debt[];
  /** No further one is free after this. */
  readonly isLastFree: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/** Counts a sign-in that failed, and records it. */
export const refuseSignIn = writeOperation(
  'auth.refuse_sign_in',
  async (db, { accountId, debts, isLastFree, now, origin }: RefusedSignIn, engine): Promise<void> => {
    if (debts.length > 0) await countMistake.run(db, { debts, now }, engine);
    const failure = { accountId, at: now, origin };
    await recordFailedSignIn.run(db, failure, engine);
    if (isLastFree) await recordFailedSignIn.run(db, { ...failure, event: 'sign_in_locked' }, engine);
  },
);

/**
 * Logs in. An unknown name, a wrong password and a disabled account get the same `bad_credentials`
 * after the same work, so that nobody learns which accounts exist, and `too_many_requests` after the same number
 * of mistakes. A right password is answered `second_factor_required` where the account has a second factor.
 */
export async function login(
  parts: AuthParts,
  credentials: Credentials,
  client: Client,
): Promise<LoginResult> {
  // The account may change between the check and the session: another login hashes the same password anew, the password
  // is replaced, or a second factor comes or goes. What stands then is checked once more.
  const first = await tryLogin(parts, credentials, client);
  if (typeof first === 'object') return first;
  const second = await tryLogin(parts, credentials, client);
  if (typeof second === 'object') return second;
  throw await refusal(parts, { accountId: second, debts: [], isLastFree: false, origin: client.origin });
}

/**
 * The account whose password this is, and the device that is to be remembered. Fails with `bad_credentials` and counts a
 * mistake, or with `too_many_requests` (decisions 0041).
 */
export async function provePassword(parts: AuthParts, { username, password }: Credentials, origin: Origin) {
  const { source } = origin;
  const look = () => parts.store.read(findAccount, { login: username, source, now: parts.clock() });
  return parts.attempts.run(look, async ({ account, standing }) => {
    const { isKnown, debts, newDevice, line } = standing;
    const hash = account?.password_hash ?? NOBODYS_HASH;
    const matches = await parts.hashing.verify(hash, password, { source, isKnown });
    if (account && matches && isUsable(account, parts.clock())) return { account, newDevice, line };
    const isLastFree = standing.free < 2;
    throw await refusal(parts, { accountId: account?.id ?? null, debts, isLastFree, origin });
  });
}

/** The account's id when the password was right, but the account is no longer what it was checked against. */
async function tryLogin(
  parts: AuthParts,
  credentials: Credentials,
  { origin, device }: Client,
): Promise<LoginResult | number> {
  const { source } = origin;
  const { account, newDevice, line } = await provePassword(parts, credentials, origin);
  const hindrance = hindranceOf(account);
  if (hindrance) {
    await refusal(parts, { accountId: account.id, debts: [], isLastFree: false, origin });
    throw hindrance;
  }

  await requireProvenAddress(parts, account, origin);
  const proven = { source, isKnown: true };
  const checked = {
    userId: account.id,
    checkedHash: account.password_hash,
    newHash: isOutdated(account.password_hash)
      ? await parts.hashing.hash(credentials.password, proven)
      : undefined,
  };
  if (account.second_factor === 1) {
    const required = await challengeSignIn(parts, { ...checked, hasSecondFactor: true, line });
    if (required) throw required;
    return account.id;
  }
  const { session, answer } = newSession(parts, account.id, { origin, device });
  const started = await parts.store.write(startSession, { ...session, ...checked, newDevice });
  return started ? answer(account.username) : account.id;
}

/** Not even while the disk is full is a password tried without a trace: this fails then, with `unavailable`. */
async function refusal(parts: AuthParts, refused: Omit<RefusedSignIn, 'now'>): Promise<Failure> {
  await parts.store.write(refuseSignIn, { ...refused, now: parts.clock() });
  return new Failure({ error: 'bad_credentials', message: 'The user name or the password is wrong.' });
}

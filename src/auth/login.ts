import { findByKey } from '../accounts/find.ts';
import { Failure } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { rememberDevice } from '../services/throttle/devices.ts';
import { countMistake } from '../services/throttle/mistakes.ts';
import { readStanding } from '../services/throttle/standing.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { LoginResult } from './contract.ts';
import { isOutdated, NOBODYS_HASH } from './hashing/parameters.ts';
import { ABSOLUTE_MS, IDLE_MS } from './lifetimes.ts';
import type { AuthParts } from './parts.ts';
import { issueTokens } from './tokens.ts';

interface Credentials {
  /** User name or e-mail address, in any spelling that folds to it. */
  readonly username: string;
  readonly password: string;
}

interface Attempt {
  readonly login: string;
  readonly source: string;
  readonly now: number;
}

/** The account that the login leads to, if any, and how whoever sends it stands: the same work for both. */
export const findAccount = readOperation('auth.find_account', async (db, { login, source, now }: Attempt) => {
  const key = foldKey(login);
  const account = await findByKey(db, key);
  return { account, standing: await readStanding(db, { userId: account?.id, login: key, source, now }) };
});

interface NewSession {
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly userId: number;
  /** The hash that the password was checked against; the session begins only if it still stands. */
  readonly checkedHash: string;
  /** Replaces `checkedHash` where that was made with older parameters. */
  readonly newHash?: string | undefined;
  /** Where the sign-in has to be remembered (`Standing.newDevice`). */
  readonly newDevice?: string | undefined;
  readonly now: number;
}

/** Begins a session. False when the account was disabled or its password changed since the check. */
export const startSession = writeOperation('auth.start_session', async (db, input: NewSession) => {
  const unchanged = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', input.userId)
    .where('password_hash', '=', input.checkedHash)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!unchanged) return false;
  if (input.newHash !== undefined) {
    await db
      .updateTable('users')
      .set({ password_hash: input.newHash })
      .where('id', '=', input.userId)
      .execute();
  }
  await db
    .insertInto('sessions')
    .values({
      id: input.sessionId,
      user_id: input.userId,
      token_hash: input.tokenHash,
      created_at: input.now,
      rotated_at: input.now,
      idle_expires_at: input.now + IDLE_MS,
      absolute_expires_at: input.now + ABSOLUTE_MS,
    })
    .execute();
  if (input.newDevice !== undefined) {
    await rememberDevice(db, { key: input.newDevice, userId: input.userId, now: input.now });
  }
  return true;
});

/**
 * Logs in. An unknown name, a wrong password and a disabled account get the same `bad_credentials`
 * after the same work, so that nobody learns which accounts exist, and `too_many_requests` after the same number
 * of mistakes.
 */
export async function login(
  parts: AuthParts,
  credentials: Credentials,
  origin: Origin,
): Promise<LoginResult> {
  // The hash may be replaced between the check and the session, by another login that hashes the same
  // password anew or by a change of it: what stands then is checked once more.
  const result = (await tryLogin(parts, credentials, origin)) ?? (await tryLogin(parts, credentials, origin));
  if (!result) throw badCredentials();
  return result;
}

/** Undefined when the password was right, but the account is no longer what it was checked against. */
async function tryLogin(
  parts: AuthParts,
  { username, password }: Credentials,
  { source }: Origin,
): Promise<LoginResult | undefined> {
  const look = () => parts.store.read(findAccount, { login: username, source, now: parts.clock() });
  const { account, newDevice } = await parts.attempts.run(look, async ({ account, standing }) => {
    const { isKnown, debts, newDevice } = standing;
    const hash = account?.password_hash ?? NOBODYS_HASH;
    const matches = await parts.hashing.verify(hash, password, { source, isKnown });
    if (account && matches && account.disabled_at === null) return { account, newDevice };
    await parts.store.write(countMistake, { debts, now: parts.clock() });
    throw badCredentials();
  });

  const proven = { source, isKnown: true };
  const now = parts.clock();
  const refreshToken = parts.refreshTokens.first();
  const started = await parts.store.write(startSession, {
    sessionId: refreshToken.sessionId,
    tokenHash: refreshToken.hash,
    userId: account.id,
    checkedHash: account.password_hash,
    newHash: isOutdated(account.password_hash) ? await parts.hashing.hash(password, proven) : undefined,
    newDevice,
    now,
  });
  if (!started) return undefined;
  return issueTokens(parts, refreshToken, IDLE_MS / 1000, { id: account.id, username: account.username });
}

function badCredentials(): Failure {
  return new Failure({ error: 'bad_credentials', message: 'The user name or the password is wrong.' });
}

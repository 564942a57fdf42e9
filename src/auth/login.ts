import { findByLogin } from '../accounts/find.ts';
import { Failure } from '../domain/failure.ts';
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

export const findAccount = readOperation(
  'auth.find_account',
  async (db, login: string) => (await findByLogin(db, login)) ?? null,
);

interface NewSession {
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly userId: number;
  /** The hash that the password was checked against; the session begins only if it still stands. */
  readonly checkedHash: string;
  /** Replaces `checkedHash` where that was made with older parameters. */
  readonly newHash?: string | undefined;
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
  return true;
});

/**
 * Logs in. An unknown name, a wrong password and a disabled account get the same `bad_credentials`
 * after the same work, so that nobody learns which accounts exist.
 */
export async function login(parts: AuthParts, credentials: Credentials): Promise<LoginResult> {
  // The hash may be replaced between the check and the session, by another login that hashes the same
  // password anew or by a change of it: what stands then is checked once more.
  const result = (await tryLogin(parts, credentials)) ?? (await tryLogin(parts, credentials));
  if (!result) throw badCredentials();
  return result;
}

/** Undefined when the password was right, but the account is no longer what it was checked against. */
async function tryLogin(
  parts: AuthParts,
  { username, password }: Credentials,
): Promise<LoginResult | undefined> {
  const account = await parts.store.read(findAccount, username);
  const matches = await parts.hashing.verify(account?.password_hash ?? NOBODYS_HASH, password);
  if (!account || !matches || account.disabled_at !== null) throw badCredentials();

  const now = parts.clock();
  const refreshToken = parts.refreshTokens.first();
  const started = await parts.store.write(startSession, {
    sessionId: refreshToken.sessionId,
    tokenHash: refreshToken.hash,
    userId: account.id,
    checkedHash: account.password_hash,
    newHash: isOutdated(account.password_hash) ? await parts.hashing.hash(password) : undefined,
    now,
  });
  if (!started) return undefined;
  return issueTokens(parts, refreshToken, IDLE_MS / 1000, { id: account.id, username: account.username });
}

function badCredentials(): Failure {
  return new Failure({ error: 'bad_credentials', message: 'The user name or the password is wrong.' });
}

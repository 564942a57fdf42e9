import { randomBytes } from 'node:crypto';
import { Failure } from '../../domain/failure.ts';
import type { PasskeyDescriptor, SecondFactor } from '../../domain/second-factor.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { hashOfToken } from '../../domain/token-hash.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { type CheckedAccount, lockChecked } from '../checked-account.ts';
import { factorsOf } from '../factors.ts';
import type { AuthParts } from '../parts.ts';
import { descriptorsOf } from '../passkeys/descriptors.ts';
import { optionsToComplete } from '../passkeys/prove.ts';

/** Recognisable to scanners that look for leaked secrets. */
const PREFIX = 'stoa_sf_';
const BYTES = 32;
const LIFE_MS = 5 * MINUTE_MS;
/** Living ones of an account, from one known device or from all strangers together. */
const MOST = 5;

interface Checked extends CheckedAccount {
  /** Whom the sign-in comes from (`Standing.line`). */
  readonly line: string;
}

interface NewChallenge extends Checked {
  readonly tokenHash: string;
  readonly now: number;
}

/** What an account has. */
interface Factors {
  readonly methods: readonly SecondFactor[];
  readonly passkeys: PasskeyDescriptor[];
}

/**
 * Keeps a sign-in whose password was right until its second factor comes. Returns what the account has; null when the
 * account is not as it was checked.
 */
export const openChallenge = writeOperation(
  'auth.open_challenge',
  async (db, challenge: NewChallenge): Promise<Factors | null> => {
    if (!(await lockChecked(db, challenge))) return null;
    const { userId, tokenHash, line, now } = challenge;
    await makeRoom(db, challenge);
    const row = { token_hash: tokenHash, user_id: userId, line, tries: 0, expires_at: now + LIFE_MS };
    await db.insertInto('second_factor_challenges').values(row).execute();
    return { methods: await factorsOf(db, userId), passkeys: await descriptorsOf(db, userId) };
  },
);

/** The oldest end, and those of a known device by others of that device alone: a stranger ends no sign-in of the owner. */
async function makeRoom(db: Db, { userId, line }: NewChallenge): Promise<void> {
  const newest = db
    .selectFrom('second_factor_challenges')
    .select('token_hash')
    .where('user_id', '=', userId)
    .where('line', '=', line)
    .orderBy('expires_at', 'desc')
    .orderBy('token_hash')
    .limit(MOST - 1);
  await db
    .deleteFrom('second_factor_challenges')
    .where('user_id', '=', userId)
    .where('line', '=', line)
    .where('token_hash', 'not in', newest)
    .execute();
}

/** The failure that asks for the second factor; undefined when the account is no longer as it was checked. */
export async function challengeSignIn(parts: AuthParts, checked: Checked): Promise<Failure | undefined> {
  const challenge = PREFIX + randomBytes(BYTES).toString('base64url');
  const tokenHash = hashOfToken(challenge);
  const { store, clock } = parts;
  const factors = await store.write(openChallenge, { ...checked, tokenHash, now: clock() });
  if (!factors) return undefined;
  const message =
    'The password is right; send the challenge with a code or a passkey to complete the sign-in.';
  const passkey = optionsToComplete(parts, tokenHash, factors.passkeys);
  const methods = factors.methods.filter((method) => method !== 'passkey' || passkey);
  const secondFactor = { challenge, methods, expires_in: LIFE_MS / 1000, ...(passkey && { passkey }) };
  return new Failure({ error: 'second_factor_required', message, secondFactor });
}

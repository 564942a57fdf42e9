import { signInAsker, strangerAsker } from '../domain/admission/fair-queue.ts';
import { Failure } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import type { Origin } from '../domain/origin.ts';
import type { PasskeyDescriptor, SecondFactor } from '../domain/second-factor.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { factorsOf } from '../factors/factors.ts';
import { descriptorsOf } from '../factors/passkeys/request-options.ts';
import { optionsToComplete } from '../factors/prove.ts';
import { type CheckedAccount, lockChecked } from '../passwords/checked-account.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import { recordEvent } from '../services/audit/record.ts';
import { spend, type Taken } from '../services/limits/shared.ts';
import { readAllowance } from '../services/limits/wrong-passwords.ts';
import { newToken } from '../services/links/token.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { SecondFactorChallenge } from './contract.ts';
import type { SignInParts } from './parts.ts';

/** Recognisable to scanners that look for leaked secrets. */
const PREFIX = 'stoa_sf_';
const LIFE_MS = 5 * MINUTE_MS;
/** Codes that one challenge takes. */
const TRIES = 5;

interface Checked extends CheckedAccount {
  /** Whom the sign-in comes from (`Allowance.line`). */
  readonly line: string;
  /** Has this device signed in to the account before? */
  readonly isKnown: boolean;
  readonly origin: Origin;
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
  'sign_in.open_challenge',
  async (
    db,
    challenge: Checked & { readonly tokenHash: string; readonly now: number },
    engine,
  ): Promise<Factors | null> => {
    if (!(await lockChecked(db, challenge, engine))) return null;
    const { userId, tokenHash, line, isKnown, now, origin } = challenge;
    await makeRoom(db, challenge);
    const row = { token_hash: tokenHash, user_id: userId, line, tries: 0, expires_at: now + LIFE_MS };
    await db.insertInto('second_factor_challenges').values(row).execute();
    // A thief who gets no further has learned the password. The owner's devices would add a row to each sign-in.
    const accepted = { event: 'proof_accepted', detail: { because: 'second_factor_required' } } as const;
    if (!isKnown) await recordEvent(db, { ...accepted, at: now, origin, accountId: userId });
    return { methods: await factorsOf(db, userId), passkeys: await descriptorsOf(db, userId) };
  },
  { askerOf: signInAsker, turns: 'exclusive' },
);

/** Ends the oldest challenges of the same `line`, so that a stranger ends no sign-in of the owner from a known device. */
async function makeRoom(db: Db, { userId, line }: Checked): Promise<void> {
  const newest = db
    .selectFrom('second_factor_challenges')
    .select('token_hash')
    .where('user_id', '=', userId)
    .where('line', '=', line)
    .orderBy('expires_at', 'desc')
    .orderBy('token_hash')
    .limit(ROW_LIMITS.challenges - 1);
  await db
    .deleteFrom('second_factor_challenges')
    .where('user_id', '=', userId)
    .where('line', '=', line)
    .where('token_hash', 'not in', newest)
    .execute();
}

/** How the sign-in goes on; undefined when the account is no longer as it was checked. */
export async function challengeSignIn(
  parts: SignInParts,
  checked: Checked,
): Promise<SecondFactorChallenge | undefined> {
  const { token: challenge, tokenHash } = newToken(PREFIX);
  const { store, clock } = parts;
  const factors = await store.write(openChallenge, { ...checked, tokenHash, now: clock() });
  if (!factors) return undefined;
  const passkey = optionsToComplete(parts, tokenHash, factors.passkeys);
  const methods = factors.methods.filter((method) => method !== 'passkey' || passkey);
  return { challenge, methods, expires_in: LIFE_MS / 1000, ...(passkey && { passkey }) };
}

/** Is there such a challenge? So that an invented one costs no write. */
export const findChallenge = readOperation(
  'sign_in.find_challenge',
  async (db, tokenHash: string): Promise<boolean> => {
    const challenge = await db
      .selectFrom('second_factor_challenges')
      .select('user_id')
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
    return challenge !== undefined;
  },
);

interface Presented {
  readonly tokenHash: string;
  readonly origin: Origin;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Whose sign-in is tried, and what it takes to complete it. */
interface Try {
  readonly userId: number;
  readonly newDevice: string | undefined;
  /** Given back where the code is right. */
  readonly guess: Taken;
}

/**
 * Counts a code before it is looked at: for its challenge, and for its account. Fails with `challenge_invalid` or
 * `too_many_requests`.
 */
export const tryChallenge = writeOperation(
  'sign_in.try_challenge',
  async (db, { tokenHash, origin, now }: Presented): Promise<Try> => {
    const challenge = await db
      .updateTable('second_factor_challenges')
      .set((eb) => ({ tries: eb('tries', '+', 1) }))
      .where('token_hash', '=', tokenHash)
      .where('tries', '<', TRIES)
      .where('expires_at', '>', now)
      .returning('user_id')
      .executeTakeFirst();
    if (!challenge) throw challengeInvalid();
    const userId = challenge.user_id;
    const attempt = { userId, login: '', source: origin.source, now };
    const { isKnown, line, newDevice } = await readAllowance(db, attempt);
    // A device that signed in before is counted by itself, so that others cannot lock it out.
    const limit = isKnown ? 'second_factor_known' : 'second_factor';
    return { userId, newDevice, guess: await spend(db, limit, line, now) };
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

interface Refused {
  readonly userId: number;
  readonly isLastFree: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/** Records a sign-in whose second factor was wrong, within the bounds of failed sign-ins. */
export const refuseSecondFactor = writeOperation(
  'sign_in.refuse_second_factor',
  async (db, { userId, isLastFree, now, origin }: Refused, engine): Promise<void> => {
    const failure = { accountId: userId, at: now, origin };
    await recordFailedSignIn.run(db, { ...failure, event: 'second_factor_failed' }, engine);
    if (isLastFree) await recordFailedSignIn.run(db, { ...failure, event: 'sign_in_locked' }, engine);
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

/** One failure for a challenge that is over, was tried too often, was used or never existed. */
export function challengeInvalid(): Failure {
  const message = 'This sign-in took too long, was tried too often or is complete; log in again.';
  return new Failure({ error: 'challenge_invalid', message });
}

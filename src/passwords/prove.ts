import { findByKey } from '../accounts/find.ts';
import { Failure } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import type { Charge } from '../services/limits/shared.ts';
import { type Attempt, countMistake, readAllowance } from '../services/limits/wrong-passwords.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { isUsable } from './checked-account.ts';
import { NOBODYS_HASH } from './hashing/parameters.ts';
import type { PasswordParts } from './parts.ts';

export interface Credentials {
  /** User name or e-mail address, in any spelling that folds to it. */
  readonly username: string;
  /** As it was sent. */
  readonly password: string;
}

/** The account of the login, if any, and what the attempt may do. The work is the same with an account and without. */
export const findAccount = readOperation(
  'passwords.find_account',
  async (db, { login, source, now }: Omit<Attempt, 'userId'>) => {
    const key = foldKey(login);
    const account = await findByKey(db, key);
    return { account, allowance: await readAllowance(db, { userId: account?.id, login: key, source, now }) };
  },
);

interface RefusedSignIn {
  /** Null where no account has the name. */
  readonly accountId: number | null;
  /** What the wrong password counts for. Empty where the password was right. */
  readonly charges: readonly Charge[];
  /** Is this the last mistake that is free? */
  readonly isLastFree: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Counts a sign-in that failed, and records it. All of one source change one row, so they take turns. They wait behind
 * nothing else of that source, and are never given up: a password that was tried may not go uncounted.
 */
export const refuseSignIn = writeOperation(
  'passwords.refuse_sign_in',
  async (db, { accountId, charges, isLastFree, now, origin }: RefusedSignIn, engine): Promise<void> => {
    if (charges.length > 0) await countMistake.run(db, { charges, now }, engine);
    const failure = { accountId, at: now, origin };
    await recordFailedSignIn.run(db, failure, engine);
    if (isLastFree) await recordFailedSignIn.run(db, { ...failure, event: 'sign_in_locked' }, engine);
  },
  {
    askerOf: ({ origin }) => ({
      name: `wrong passwords of ${origin.source}`,
      isSignedIn: false,
      isPatient: true,
    }),
    turns: 'exclusive',
  },
);

/**
 * The account with this password, and the device to be remembered. Fails with `bad_credentials` and counts a mistake, or
 * with `too_many_requests` (docs/decisions/passwords.md).
 */
export async function provePassword(
  parts: PasswordParts,
  { username, password }: Credentials,
  origin: Origin,
) {
  const { source } = origin;
  const look = () => parts.store.read(findAccount, { login: username, source, now: parts.clock() });
  return parts.attempts.run(look, async ({ account, allowance }) => {
    const { isKnown, left, charges, newDevice, line } = allowance;
    const hash = account?.password_hash ?? NOBODYS_HASH;
    const matches = await parts.hashing.verify(hash, password, { source, isKnown });
    if (account && matches && isUsable(account, parts.clock())) return { account, isKnown, newDevice, line };
    return refuse(parts, { accountId: account?.id ?? null, charges, isLastFree: left < 2, origin });
  });
}

/**
 * Counts and records the failure, and fails with it: `bad_credentials`, or `why`. Fails with `unavailable` while the disk
 * is full, so that no password is tried without a trace.
 */
export async function refuse(
  parts: PasswordParts,
  refused: Omit<RefusedSignIn, 'now'>,
  why = new Failure({ error: 'bad_credentials', message: 'The user name or the password is wrong.' }),
): Promise<never> {
  await parts.store.write(refuseSignIn, { ...refused, now: parts.clock() });
  throw why;
}

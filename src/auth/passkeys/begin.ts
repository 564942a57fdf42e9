import { randomBytes } from 'node:crypto';
import { type CallerInput, callerWrite } from '../../accounts/caller-write.ts';
import type { CallerKey } from '../../accounts/living-session.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { type AccountBudget, perHour, spendBudget } from '../../services/throttle/account-budget.ts';
import type { Db } from '../../store/tables.ts';
import type { AuthParts } from '../parts.ts';
import { CHALLENGE_MS } from './challenges.ts';
import type { CreationOptions } from './contract.ts';
import { descriptorsOf } from './descriptors.ts';
import { ALGORITHMS } from './public-key.ts';
import { noPasskeys } from './relying-party.ts';

const HANDLE_BYTES = 32;
/** Passkeys that an account begins to add, and those that it adds: each leaves an event in the audit trail. */
export const ADDITIONS: AccountBudget = {
  kind: 'passkey_addition',
  ...perHour(200),
  message: 'Your account added too many passkeys; try again later.',
};

interface Beginning extends CallerInput {
  /** Becomes the handle of the account where it has none. */
  readonly newHandle: string;
}

/** What a page needs to make a passkey for the caller. Fails with `recent_sign_in_required` and `too_many_requests`. */
export const preparePasskey = callerWrite(
  'auth.prepare_passkey',
  async (db, { newHandle, now }: Beginning, { userId, sessionId, username }) => {
    await requireRecentSignIn(db, { sessionId, now });
    const handle = await handleOf(db, userId, newHandle);
    const descriptors = await descriptorsOf(db, userId);
    // Last: on PostgreSQL others of the account wait for it until the write ends.
    await spendBudget(db, ADDITIONS, userId, now);
    return { username, handle, descriptors };
  },
);

/** The handle of an account. The first one stays. */
async function handleOf(db: Db, userId: number, newHandle: string): Promise<string> {
  await db
    .insertInto('passkey_owners')
    .values({ user_id: userId, handle: newHandle })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
  const owner = db.selectFrom('passkey_owners').select('handle').where('user_id', '=', userId);
  return (await owner.executeTakeFirstOrThrow()).handle;
}

/** The challenge of a registration is good for the session that asked alone. */
export function registrationOf({ sessionId }: CallerKey): string {
  return `registration by ${sessionId}`;
}

/** Begins the registration of a passkey. Fails with `no_passkeys` and `recent_sign_in_required`. */
export async function beginPasskey(parts: AuthParts, caller: CallerKey): Promise<CreationOptions> {
  const { relyingParty, challenges } = parts.passkeys;
  if (!relyingParty) throw noPasskeys();
  const { id } = relyingParty;
  const now = parts.clock();
  const newHandle = randomBytes(HANDLE_BYTES).toString('base64url');
  const { username, handle, descriptors } = await parts.store.write(preparePasskey, {
    caller,
    newHandle,
    now,
  });
  return {
    challenge: challenges.issue(registrationOf(caller), now),
    rp: { id, name: id },
    user: { id: handle, name: username, displayName: username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: descriptors,
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

import { randomBytes } from 'node:crypto';
import { spend } from '../../services/limits/shared.ts';
import { type CallerInput, callerWrite } from '../../sessions/caller-write.ts';
import type { CallerKey } from '../../sessions/living-session.ts';
import { requireRecentSignIn } from '../../sessions/recent-sign-in.ts';
import type { Db } from '../../store/tables.ts';
import type { FactorParts } from '../parts.ts';
import { CHALLENGE_MS } from './challenges.ts';
import type { CreationOptions } from './contract.ts';
import { ALGORITHMS } from './public-key.ts';
import { noPasskeys } from './relying-party.ts';
import { descriptorsOf } from './request-options.ts';

const HANDLE_BYTES = 32;

interface Beginning extends CallerInput {
  /** Becomes the handle of the account where it has none. */
  readonly newHandle: string;
}

/** What a page needs to make a passkey for the caller. Fails with `recent_sign_in_required` and `too_many_requests`. */
export const preparePasskey = callerWrite(
  'factors.prepare_passkey',
  async (db, { newHandle, now }: Beginning, { userId, sessionId, username }) => {
    await requireRecentSignIn(db, { sessionId, now });
    const handle = await handleOf(db, userId, newHandle);
    const descriptors = await descriptorsOf(db, userId);
    // This comes last, because on PostgreSQL it makes other writes of the account wait until this one ends.
    await spend(db, 'passkey_addition', userId, now);
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

/** The challenge of a registration is good only for the session that asked. */
export function registrationOf({ sessionId }: CallerKey): string {
  return `registration by ${sessionId}`;
}

/** Begins the registration of a passkey. Fails with `no_passkeys` and `recent_sign_in_required`. */
export async function beginPasskey(parts: FactorParts, caller: CallerKey): Promise<CreationOptions> {
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

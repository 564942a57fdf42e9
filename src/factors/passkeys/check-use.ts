import { readOperation } from '../../store/operation.ts';
import type { FactorParts } from '../parts.ts';
import type { AuthenticationResponse } from './contract.ts';
import type { PasskeyProof } from './use.ts';
import { challengeIn, verifyAuthentication } from './verify.ts';

/** The passkey with this credential, and its account. Undefined where no account has it. */
export const findPasskey = readOperation(
  'factors.find_passkey',
  async (db, { credentialId }: { credentialId: string }) =>
    db
      .selectFrom('passkeys')
      .innerJoin('passkey_owners', 'passkey_owners.user_id', 'passkeys.user_id')
      .innerJoin('users', 'users.id', 'passkeys.user_id')
      .select(['passkeys.id', 'passkeys.public_key', 'passkeys.user_id', 'passkey_owners.handle'])
      .select(['users.username', 'users.email_verified_at'])
      .select(['users.disabled_at', 'users.closes_at', 'users.must_change_password'])
      .where('passkeys.credential_id', '=', credentialId)
      .executeTakeFirst(),
);

interface Accepted {
  readonly user: {
    readonly id: number;
    readonly username: string;
    readonly email_verified_at: number | null;
    readonly disabled_at: number | null;
    readonly closes_at: number | null;
    readonly must_change_password: 0 | 1;
  };
  /** What the write has to use up. */
  readonly proof: PasskeyProof;
}

interface Refused {
  /** Null where no account has the passkey. */
  readonly accountId: number | null;
  /** The reason, as the audit trail names it. */
  readonly because: string;
}

/** Checks a use of a passkey for this purpose, as far as possible without a write. */
export async function checkUse(
  { passkeys, store, clock }: FactorParts,
  response: AuthenticationResponse,
  purpose: string,
): Promise<Accepted | Refused> {
  const { relyingParty, challenges } = passkeys;
  const now = clock();
  const text = challengeIn(response.response.clientDataJSON) ?? '';
  const challenge = challenges.open(text, purpose, now);
  if (!relyingParty || !challenge) return { accountId: null, because: 'challenge' };
  const passkey = await store.read(findPasskey, { credentialId: response.id });
  if (!passkey) return { accountId: null, because: 'unknown' };
  const { user_id: accountId, username, email_verified_at, handle, public_key } = passkey;
  const { disabled_at, closes_at, must_change_password } = passkey;
  if ((response.response.userHandle ?? handle) !== handle) return { accountId, because: 'handle' };
  const counter = await verifyAuthentication(response, { relyingParty, challenge: text }, public_key);
  if (counter === undefined) return { accountId, because: 'proof' };
  return {
    user: { id: accountId, username, email_verified_at, disabled_at, closes_at, must_change_password },
    proof: { passkeyId: passkey.id, counter, challenge, now },
  };
}

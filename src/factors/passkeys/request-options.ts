import type { PasskeyDescriptor, PasskeyRequestOptions } from '../../domain/second-factor.ts';
import type { Db } from '../../store/tables.ts';
import type { FactorParts } from '../parts.ts';
import { CHALLENGE_MS } from './challenges.ts';

/** What a browser needs to use a passkey for this purpose. Undefined where the service has no passkeys. */
export function requestOptions(
  { passkeys, clock }: FactorParts,
  purpose: string,
  allowCredentials: PasskeyDescriptor[],
): PasskeyRequestOptions | undefined {
  const { relyingParty, challenges } = passkeys;
  if (!relyingParty) return undefined;
  return {
    challenge: challenges.issue(purpose, clock()),
    rpId: relyingParty.id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials,
  };
}

/** The passkeys of an account, as options for a browser name them. */
export async function descriptorsOf(db: Db, userId: number): Promise<PasskeyDescriptor[]> {
  const rows = await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ credential_id, transports }) => ({
    type: 'public-key',
    id: credential_id,
    transports: transports.split(',').filter(Boolean),
  }));
}

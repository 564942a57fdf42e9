import type { PasskeyDescriptor, PasskeyRequestOptions } from '../../domain/second-factor.ts';
import type { AuthParts } from '../parts.ts';
import { CHALLENGE_MS } from './challenges.ts';

/** What a browser needs to use a passkey for this purpose. Undefined where the service has no passkeys. */
export function requestOptions(
  { passkeys, clock }: AuthParts,
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

import type { PasskeyDescriptor, PasskeyRequestOptions } from '../../domain/second-factor.ts';
import type { AuthParts } from '../parts.ts';
import { checkUse } from './check-use.ts';
import type { AuthenticationResponse } from './contract.ts';
import { requestOptions } from './request-options.ts';
import type { PasskeyProof } from './use.ts';

/** A passkey after a password: for the one login whose challenge has this hash. */
function purposeOf(loginHash: string): string {
  return `second factor of ${loginHash}`;
}

/** What a browser needs to complete the login. Undefined where the account or the service has no passkeys. */
export function optionsToComplete(
  parts: AuthParts,
  loginHash: string,
  passkeys: PasskeyDescriptor[],
): PasskeyRequestOptions | undefined {
  return passkeys.length === 0 ? undefined : requestOptions(parts, purposeOf(loginHash), passkeys);
}

/** Undefined where the passkey was not used for this login. Whose it is, the write looks at (`usePasskey`). */
export async function provePasskey(
  parts: AuthParts,
  loginHash: string,
  response: AuthenticationResponse,
): Promise<PasskeyProof | undefined> {
  const checked = await checkUse(parts, response, purposeOf(loginHash));
  return 'proof' in checked ? checked.proof : undefined;
}

import type { Caller } from '../domain/account.ts';
import { Failure } from '../domain/failure.ts';
import { type MfaRequired, mustHaveSecondFactor } from '../domain/second-factor.ts';

/** The failure for a caller who must have a second factor and has none, on a route that is not for setting one up. */
export function setUpFirst(required: MfaRequired) {
  return (
    { role, hasSecondFactor }: Caller,
    { beforeSetUp }: { readonly beforeSetUp?: boolean } = {},
  ): Failure | undefined => {
    if (beforeSetUp || hasSecondFactor || !mustHaveSecondFactor(required, role)) return undefined;
    const message =
      'Your account must have a second factor; set one up with POST /api/auth/totp or a passkey first.';
    return new Failure({ error: 'second_factor_setup_required', message });
  };
}

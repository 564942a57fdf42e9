import type { Caller } from '../domain/account.ts';
import { Failure } from '../domain/failure.ts';
import { type MfaRequired, mustHaveSecondFactor } from '../domain/second-factor.ts';

/** The failure for a caller who must have a second factor and has none. */
export function setUpFirst(required: MfaRequired) {
  return ({ role, hasSecondFactor }: Caller): Failure | undefined => {
    if (hasSecondFactor || !mustHaveSecondFactor(required, role)) return undefined;
    const message =
      'Your account must have a second factor; set one up with POST /api/auth/totp or a passkey first.';
    return new Failure({ error: 'second_factor_setup_required', message });
  };
}

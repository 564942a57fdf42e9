import type { Role } from './account.ts';

/** What can prove a sign-in beside the password. */
export const SECOND_FACTORS = ['totp', 'recovery_code'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** What a sign-in whose password was right is answered, where the account has a second factor. */
export interface SecondFactorChallenge {
  readonly challenge: string;
  readonly methods: readonly SecondFactor[];
  /** Seconds. */
  readonly expires_in: number;
}

/** Of whom the setting MFA_REQUIRED asks a second factor. */
export const MFA_REQUIRED = ['none', 'admins', 'all'] as const;
export type MfaRequired = (typeof MFA_REQUIRED)[number];

export function mustHaveSecondFactor(required: MfaRequired, role: Role): boolean {
  return required === 'all' || (required === 'admins' && role === 'admin');
}

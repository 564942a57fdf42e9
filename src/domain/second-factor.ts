import type { Role } from './account.ts';

/** What can prove a sign-in in addition to the password. */
export const SECOND_FACTORS = ['totp', 'passkey', 'recovery_code'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** Names a passkey in options for a browser (WebAuthn, PublicKeyCredentialDescriptorJSON). */
export interface PasskeyDescriptor {
  readonly type: 'public-key';
  readonly id: string;
  readonly transports: string[];
}

/** What a browser needs to use a passkey (WebAuthn, PublicKeyCredentialRequestOptionsJSON). */
export interface PasskeyRequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly userVerification: 'required';
  /** Empty for any passkey of this service. */
  readonly allowCredentials: PasskeyDescriptor[];
}

/** Accounts that need a second factor, by the setting MFA_REQUIRED. */
export const MFA_REQUIRED = ['none', 'admins', 'all'] as const;
export type MfaRequired = (typeof MFA_REQUIRED)[number];

export function mustHaveSecondFactor(required: MfaRequired, role: Role): boolean {
  return required === 'all' || (required === 'admins' && role === 'admin');
}

import type { Role } from './account.ts';

/** What can prove a sign-in beside the password. */
export const SECOND_FACTORS = ['totp', 'passkey', 'recovery_code'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** A passkey, as options for a browser name one (WebAuthn, PublicKeyCredentialDescriptorJSON). */
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

/** What a sign-in whose password was right is answered, where the account has a second factor. */
export interface SecondFactorChallenge {
  readonly challenge: string;
  readonly methods: readonly SecondFactor[];
  /** Seconds. */
  readonly expires_in: number;
  /** For the browser, where the account has passkeys. */
  readonly passkey?: PasskeyRequestOptions;
}

/** Of whom the setting MFA_REQUIRED asks a second factor. */
export const MFA_REQUIRED = ['none', 'admins', 'all'] as const;
export type MfaRequired = (typeof MFA_REQUIRED)[number];

export function mustHaveSecondFactor(required: MfaRequired, role: Role): boolean {
  return required === 'all' || (required === 'admins' && role === 'admin');
}

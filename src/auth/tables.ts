import type { Generated } from 'kysely';
import type { Role } from '../domain/account.ts';
import type { FeatureTables } from '../store/tables.ts';
import { PASSKEY_TABLES } from './passkeys/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    personal_tokens: {
      session_id: string;
      token_hash: string;
      name: string;
      last_used_at: number | null;
    };
    signing_keys: { kid: string; private_jwk: string; created_at: number };
    totp_secrets: {
      id: string;
      user_id: number;
      secret_sealed: string;
      created_at: number;
      /** Null until its owner has sent a first code. */
      confirmed_at: number | null;
      last_step: number;
    };
    recovery_codes: { code_hash: string; user_id: number };
    second_factor_challenges: {
      token_hash: string;
      user_id: number;
      line: string;
      tries: number;
      expires_at: number;
    };
    password_resets: { token_hash: string; user_id: number; expires_at: number };
    pending_registrations: {
      token_hash: string;
      username: string;
      email: string;
      email_key: string;
      password_hash: string;
      source_key: string;
      expires_at: number;
    };
    email_links: {
      token_hash: string;
      user_id: number;
      kind: EmailLink;
      email: string;
      email_key: string;
      expires_at: number;
    };
    invitations: {
      id: Generated<number>;
      token_hash: string;
      email: string;
      email_key: string;
      role: Role;
      invited_by: number;
      created_at: number;
      expires_at: number;
    };
  }
}

/** What a mailed link does to an account: prove its address, change the address, or give an earlier one back. */
export type EmailLink = 'verify' | 'change' | 'revert';

export const authTables: FeatureTables = {
  carried: [
    'signing_keys',
    'personal_tokens',
    'password_resets',
    'totp_secrets',
    'recovery_codes',
    'second_factor_challenges',
    ...PASSKEY_TABLES,
    'pending_registrations',
    'email_links',
    'invitations',
  ],
  derived: [],
  sealed: [
    { table: 'signing_keys', row: 'kid', column: 'private_jwk', wasClear: true },
    { table: 'totp_secrets', row: 'id', column: 'secret_sealed' },
  ],
};

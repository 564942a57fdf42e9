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
  }
}

export const authTables: FeatureTables = {
  carried: [
    'signing_keys',
    'personal_tokens',
    'password_resets',
    'totp_secrets',
    'recovery_codes',
    'second_factor_challenges',
    ...PASSKEY_TABLES,
  ],
  derived: [],
  sealed: [
    { table: 'signing_keys', row: 'kid', column: 'private_jwk', wasClear: true },
    { table: 'totp_secrets', row: 'id', column: 'secret_sealed' },
  ],
};

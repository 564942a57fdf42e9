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
    password_resets: { token_hash: string; user_id: number; expires_at: number };
  }
}

export const authTables: FeatureTables = {
  carried: ['signing_keys', 'personal_tokens', 'password_resets', ...PASSKEY_TABLES],
  derived: [],
  sealed: [{ table: 'signing_keys', row: 'kid', column: 'private_jwk' }],
};

import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    totp_secrets: {
      id: string;
      user_id: number;
      secret_sealed: string;
      created_at: number;
      /** Null until the owner has sent a first code. */
      confirmed_at: number | null;
      last_step: number;
    };
    recovery_codes: { code_hash: string; user_id: number };
    passkey_owners: { user_id: number; handle: string };
    passkeys: {
      id: string;
      user_id: number;
      credential_id: string;
      public_key: string;
      counter: number;
      transports: string;
      name: string;
      created_at: number;
      last_used_at: number | null;
    };
    used_challenges: { challenge_hash: string; expires_at: number };
  }
}

/** A move carries the challenges too: one that was used before the move cannot be used after it. */
export const factorTables: FeatureTables = {
  carried: ['totp_secrets', 'recovery_codes', 'passkey_owners', 'passkeys', 'used_challenges'],
  derived: [],
  expires: [
    // A secret of an authenticator app waits this long for its first code.
    { table: 'totp_secrets', key: 'id', column: 'created_at', after: HOUR_MS, unset: 'confirmed_at' },
    // For writes that began before the challenge expired, and for clocks that differ.
    { table: 'used_challenges', key: 'challenge_hash', column: 'expires_at', after: MINUTE_MS },
  ],
  sealed: [{ table: 'totp_secrets', row: 'id', column: 'secret_sealed' }],
};

declare module '../../store/tables.ts' {
  interface Tables {
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

/** Carried by a move: a challenge that was used there is not used again here. */
export const PASSKEY_TABLES = ['passkey_owners', 'passkeys', 'used_challenges'] as const;

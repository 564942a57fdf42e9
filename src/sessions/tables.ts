import type { Scope } from '../domain/account.ts';
import { DAY_MS } from '../domain/time.ts';
import type { FeatureTables } from '../store/tables.ts';

declare module '../store/announcements.ts' {
  interface Topics {
    /** What a session may do, or that it ended: the id of the session. */
    session: string;
    /** The same of all sessions of an account: the id of the account. */
    account: number;
  }
}

declare module '../store/tables.ts' {
  interface Tables {
    sessions: {
      id: string;
      user_id: number;
      token_hash: string;
      successor_sealed: string | null;
      created_at: number;
      rotated_at: number;
      idle_expires_at: number;
      absolute_expires_at: number;
      ended_at: number | null;
      ended_because: SessionEnd | null;
      device: string | null;
      address: string | null;
      /** Null where a person signed in. */
      scope: Scope | null;
      /** The name that its owner gave it. */
      label: string | null;
    };
    signing_keys: { kid: string; private_jwk: string; created_at: number };
  }
}

/**
 * Why a session ended. `logout` is also the reason when its owner ends it from another session, when it makes room for
 * one more, when the password is a new one or has to be, when a change of the address is taken back, and when an operator
 * or an admin ends it. `disabled` is also that of a closed account. The audit trail tells these apart.
 */
export type SessionEnd = 'logout' | 'reuse' | 'disabled';

export const sessionTables: FeatureTables = {
  carried: ['sessions', 'signing_keys'],
  derived: [],
  // For a day after its end, a token of the session is answered as one that ended.
  expires: [{ table: 'sessions', key: 'id', column: 'absolute_expires_at', after: DAY_MS }],
  sealed: [{ table: 'signing_keys', row: 'kid', column: 'private_jwk', wasClear: true }],
};

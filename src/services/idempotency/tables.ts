import type { FeatureTables } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    idempotency_keys: {
      key_hash: string;
      user_id: number;
      fingerprint: string;
      /** JSON, whose form is up to the operation that the key guards. */
      answer: string;
      expires_at: number;
    };
  }
}

/** Carried by a move, so that a request before it is not made again after it. */
export const idempotencyTables: FeatureTables = {
  carried: ['idempotency_keys'],
  derived: [],
  expires: [{ table: 'idempotency_keys', key: 'key_hash', column: 'expires_at', after: 0 }],
};

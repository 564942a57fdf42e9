import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    signing_keys: { kid: string; private_jwk: string; created_at: number };
    secrets: { name: string; value: string };
  }
}

export const authTables: FeatureTables = { carried: ['signing_keys', 'secrets'], derived: [] };

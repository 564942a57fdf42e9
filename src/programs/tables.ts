import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    personal_tokens: { session_id: string; token_hash: string; name: string; last_used_at: number | null };
  }
}

export const programTables: FeatureTables = { carried: ['personal_tokens'], derived: [] };

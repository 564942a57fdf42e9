import type { FeatureTables } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    guess_debts: { key: string; empty_at: number };
    known_devices: { key: string; user_id: number; seen_at: number };
  }
}

/** Carried, so that a move forgives no mistake and makes nobody a stranger. */
export const throttleTables: FeatureTables = { carried: ['guess_debts', 'known_devices'], derived: [] };

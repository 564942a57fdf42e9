import type { FeatureTables } from '../../store/tables.ts';
import { KNOWN_MS } from './devices.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    guess_debts: { key: string; empty_at: number };
    known_devices: { key: string; user_id: number; seen_at: number };
  }
}

/**
 * A row about a wrong password costs its author a password hash. The other rows are few for each account, address and
 * source. This also bounds what is added between two runs of the job.
 */
const MOST_ROWS = 200_000;

/** Carried by a move, so that wrong passwords and devices are remembered. */
export const limitTables: FeatureTables = {
  carried: ['guess_debts', 'known_devices'],
  derived: [],
  expires: [
    { table: 'guess_debts', key: 'key', column: 'empty_at', after: 0, most: MOST_ROWS },
    { table: 'known_devices', key: 'key', column: 'seen_at', after: KNOWN_MS },
  ],
};

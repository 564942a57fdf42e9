import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    move_progress: { step: string; value: string };
  }
}

/** What was done to one database. */
export const moveTables: FeatureTables = { carried: [], derived: ['migrations', 'move_progress'] };

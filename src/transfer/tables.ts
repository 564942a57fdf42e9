import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    move_progress: { step: string; value: string };
  }
}

/** Not carried: both tables describe only this database. */
export const moveTables: FeatureTables = { carried: [], derived: ['migrations', 'move_progress'] };

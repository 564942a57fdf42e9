import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    move_progress: { step: string; value: string };
    /** One row (src/schema/0041_epoch.ts). */
    database_id: { id: string; restored_at: number | null };
  }
}

/** Not carried: these describe only this database. */
export const moveTables: FeatureTables = {
  carried: [],
  derived: ['migrations', 'move_progress', 'database_id'],
};

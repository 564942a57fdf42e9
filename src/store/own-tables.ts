import type { FeatureTables } from './tables.ts';

declare module './tables.ts' {
  interface Tables {
    /** How far a move or restore into this database has come. A database with rows here is not whole. */
    move_progress: { step: string; value: string };
    /** One row (src/schema/0041_epoch.ts). */
    database_id: { id: string; restored_at: number | null };
  }
}

/** What the store keeps about a database: the steps of its schema, and the tables above. */
export const ownTables: FeatureTables = {
  carried: [],
  derived: ['migrations', 'move_progress', 'database_id'],
};

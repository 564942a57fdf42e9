import { execOn } from './place.ts';

/**
 * Makes each row of a table of PostgreSQL take so many milliseconds to read. A few hundred rows are then as slow to count
 * as many millions, while a page of them is quick.
 */
export async function slowRows(settings: Record<string, string>, table: string, ms: number): Promise<void> {
  await execOn(
    settings,
    `ANALYZE ${table};
    ALTER TABLE ${table} RENAME TO quick_${table};
    CREATE VIEW ${table} AS SELECT * FROM quick_${table} WHERE pg_sleep(${ms / 1000})::text IS NOT NULL;`,
  );
}

import type { Config } from '../config.ts';
import { migrateStore, nameOf } from '../open-store.ts';

/**
 * Migrates the database to the schema of this version, and prints the steps applied. Each start of a service does the
 * same.
 */
export async function migrateDatabase(config: Config): Promise<void> {
  const applied = await migrateStore(config.database);
  const lines =
    applied.length === 0 ? ['The schema is up to date.'] : applied.map((name) => `applied ${name}`);
  process.stdout.write(`Database: ${nameOf(config.database)}\n${lines.join('\n')}\n`);
}

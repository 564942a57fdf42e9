import type { Config } from '../config.ts';
import { toStderr } from '../domain/notice.ts';
import { migrateStore } from '../migrate-store.ts';
import { nameOf } from '../open-database.ts';
import { requireKey } from '../open-sealing.ts';
import { MIGRATIONS } from '../schema/index.ts';

/**
 * Migrates the database to the schema of this version, and prints the steps applied. Each start of a service does the
 * same, and like it this changes nothing without the sealing key.
 */
export async function migrateDatabase(config: Config): Promise<void> {
  const { database } = config;
  const beforeUpgrade = requireKey(config, toStderr);
  const applied = await migrateStore(database, MIGRATIONS, toStderr, 'command', beforeUpgrade);
  const lines =
    applied.length === 0 ? ['The schema is up to date.'] : applied.map((name) => `applied ${name}`);
  process.stdout.write(`Database: ${nameOf(database)}\n${lines.join('\n')}\n`);
}

import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/open-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import type { Migration } from '../../src/store/migration.ts';

/**
 * Migrates as `stoa migrate` does, and kills itself before the statement with the number that is its
 * argument, counted over all steps; without an argument it lives on. The statements are the real ones:
 * only going through them is watched.
 */
const deadly = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
let number = 0;

function* watched(statements: readonly string[]): Generator<string, undefined> {
  for (const statement of statements) {
    if (number++ === deadly) process.kill(process.pid, 'SIGKILL');
    yield statement;
  }
  // Between the last statement of a step and its record.
  if (number++ === deadly) process.kill(process.pid, 'SIGKILL');
}

const migrations = MIGRATIONS.map(
  (migration): Migration => ({
    ...migration,
    statements: (dialect) => {
      const statements = migration.statements(dialect);
      return Object.assign([...statements], { [Symbol.iterator]: () => watched(statements) });
    },
  }),
);

const applied = await migrateStore(readConfig(process.env).database, migrations);
process.stdout.write(JSON.stringify({ applied, moments: number }));

import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import type { Migration } from '../../src/store/migration.ts';

/**
 * Migrates as `stoa migrate` does. The argument is a number, counted over the statements of all steps: the process
 * kills itself before that statement. Without an argument it lives on. The statements are the real ones; only the
 * iteration over them is replaced.
 */
const deadly = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
let number = 0;

function* watched(statements: readonly string[]): Generator<string, undefined> {
  for (const statement of statements) {
    if (number++ === deadly) process.kill(process.pid, 'SIGKILL');
    yield statement;
  }
  // This moment is between the last statement of a step and its record.
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

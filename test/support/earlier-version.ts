import { readFile } from 'node:fs/promises';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { emptySettings, type Lifetime, type TestEngine } from './engines.ts';
import { execOn } from './place.ts';

/** A database as an earlier version left it: schema, checksums and rows. */
const FIXTURE = new URL('../fixtures/schema-0017/', import.meta.url);
const LAST_STEP = '0017_account_closing';
const STEPS = MIGRATIONS.map(({ name }) => name);
/** The steps that it lacks. */
export const LATER_STEPS = STEPS.slice(STEPS.indexOf(LAST_STEP) + 1);

const fixture = (name: string) => readFile(new URL(name, FIXTURE), 'utf8');
/** What its people know. */
export const known = JSON.parse(await fixture('known.json'));

/** Rows were inserted with their ids, which the sequences of PostgreSQL do not notice. */
const SEQUENCES = `DO $$ DECLARE it record; BEGIN
  FOR it IN SELECT table_name FROM information_schema.columns WHERE is_identity = 'YES' AND column_name = 'id' LOOP
    EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, ''id''), (SELECT coalesce(max(id), 0) + 1 FROM %I))',
      it.table_name, it.table_name);
  END LOOP; END $$`;

/** The settings of a new database that is a copy of the fixture. */
export async function oldDatabase(t: Lifetime, engine: TestEngine): Promise<Record<string, string>> {
  const settings = { ...(await emptySettings(t, engine)), SEALING_KEY: known.sealingKey };
  const isPostgres = engine.name === 'PostgreSQL';
  await execOn(settings, await fixture(`schema.${isPostgres ? 'postgres' : 'sqlite'}.sql`));
  await execOn(settings, await fixture('data.sql'));
  if (isPostgres) await execOn(settings, SEQUENCES);
  return settings;
}

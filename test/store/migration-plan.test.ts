// Needs: processes.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore, planMigration } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { type Migration, MigrationError } from '../../src/store/migration.ts';
import { effectOn } from '../../src/store/migration-plan.ts';
import { buildIndexes } from '../../src/store/postgres/build-indexes.ts';
import { connect } from '../../src/store/postgres/connect.ts';
import { DIALECT } from '../../src/store/postgres/migrate.ts';
import { stoa } from '../support/command.ts';
import { LATER_STEPS, oldDatabase } from '../support/earlier-version.ts';
import { ENGINES, emptySettings, onEveryEngine, postgres } from '../support/engines.ts';
import { execOn, placeAt } from '../support/place.ts';
import { releasedDatabase } from '../support/released-version.ts';

const NEXT: Migration = {
  name: '9999_next',
  effect: { does: 'Makes a table.' },
  statements: () => ['CREATE TABLE next (a INTEGER)'],
};
/** Locks of PostgreSQL that keep readers out, and those that keep only writers out. */
const MODES: Record<string, 'all' | 'writes'> = {
  AccessExclusiveLock: 'all',
  ShareLock: 'writes',
  ShareRowExclusiveLock: 'writes',
};

onEveryEngine('The plan of a migration', (engine) => {
  it('The plan names the steps that the next start applies, with what they read, and writes nothing', async (t) => {
    const settings = await oldDatabase(t, engine);
    const { database } = readConfig(settings);
    const place = placeAt(settings);
    const before = await place.state();
    const plan = await planMigration(database);
    const printed = await stoa(['migrate', '--plan'], { settings });
    assert.equal(await place.state(), before);
    assert.deepEqual(
      plan.map(({ step }) => step),
      LATER_STEPS,
    );
    const [trash] = plan.filter(({ step }) => step === '0028_trash');
    const [{ items } = {}] = await place.sql('SELECT count(*) AS items FROM content');
    const waits =
      engine === postgres ? 'Reads and writes of content wait. Writes of users wait.' : 'All writes wait.';
    assert.deepEqual([trash?.rows, trash?.blocks], [{ content: Number(items) }, waits]);
    assert.equal(printed.code, 0, printed.stderr);
    for (const { step, does, blocks } of plan)
      assert.ok(printed.stdout.includes(`would apply ${step}: ${does} ${blocks}`), printed.stdout);
    assert.match(printed.stdout, /0038_slugs: .* A job gives existing items their slugs/);
    const copy =
      engine === postgres ? /\nNo copy is made before/ : /\nFirst the database is copied into a file/;
    assert.match(printed.stdout, copy);
    assert.deepEqual(await migrateStore(database), LATER_STEPS);
    assert.deepEqual(await planMigration(database), []);
  });

  it('The plan of an empty place has every step, lets nobody wait, and makes no database', async (t) => {
    const settings = await emptySettings(t, engine);
    const { code, stdout, stderr } = await stoa(['migrate', '--plan', '--json'], { settings });
    assert.equal(code, 0, stderr);
    const steps = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      steps.map(({ step, blocks }) => [step, blocks]),
      MIGRATIONS.map(({ name }) => [name, 'Nothing waits.']),
    );
    if (engine === postgres) await execOn(settings, 'CREATE TABLE migrations (a INTEGER)');
    else assert.ok(!existsSync(join(settings.DATA_DIR ?? '', 'stoa.db')));
  });

  it('`stoa migrate --json` without `--plan` is refused, because it would migrate', async (t) => {
    const settings = await emptySettings(t, engine);
    const { code, stdout, stderr } = await stoa(['migrate', '--json'], { settings });
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(stderr, '--json prints a plan, and needs --plan. Nothing was changed.\n');
    assert.notEqual((await planMigration(readConfig(settings).database)).length, 0);
  });

  it('The plan refuses what the start refuses: a newer database, and one of a development build', async (t) => {
    const { database } = readConfig(await engine.settings(t));
    await migrateStore(database, [...MIGRATIONS, NEXT]);
    const edited = { ...NEXT, statements: () => ['CREATE TABLE next (b INTEGER)'] };
    for (const [known, says] of [
      [MIGRATIONS, /of a newer version of Stoa/],
      [[...MIGRATIONS, edited], /made by a development build/],
    ] as const)
      for (const look of [planMigration, migrateStore])
        await assert.rejects(
          look(database, known),
          (error: Error) => error instanceof MigrationError && says.test(error.message),
        );
  });
});

describe('The plan of a migration, only on PostgreSQL', { skip: !ENGINES.includes(postgres) }, () => {
  it('The plan of an upgrade names the transactions in which its steps are really applied', async (t) => {
    const { settings } = await releasedDatabase(t, postgres, '0.2.0');
    const { database } = readConfig(settings);
    const plan = await planMigration(database);
    const { stdout } = await stoa(['migrate', '--plan'], { settings });
    assert.deepEqual(
      stdout.match(/^\w+ .*?:/gm)?.slice(0, 5),
      [
        ...['in one transaction:', 'would apply 0047_sign_in_order:', 'would apply 0048_sent_where:'],
        ...['without a transaction:', 'would apply 0049_pages_by_id:'],
      ],
      stdout,
    );
    assert.match(stdout, /waits until its transaction is done/);
    await migrateStore(database);
    const rows = await placeAt(settings).sql('SELECT name, xmin::text AS transaction FROM migrations');
    const real = new Map(rows.map(({ name, transaction }) => [name, transaction]));
    const together = Map.groupBy(plan, ({ transaction }) => transaction);
    const concurrent = MIGRATIONS.filter(({ isConcurrent }) => isConcurrent).map(({ name }) => name);
    assert.deepEqual(
      together.get(undefined)?.map(({ step }) => step),
      concurrent,
    );
    together.delete(undefined);
    assert.ok(together.size > 1);
    const parts = [...together.values()].map((steps) => new Set(steps.map(({ step }) => real.get(step))));
    assert.deepEqual(new Set(parts.flatMap((part) => [...part])).size, parts.length);
    for (const part of parts) assert.equal(part.size, 1);
  });

  it('Each step declares the tables that it locks on PostgreSQL', async (t) => {
    const { database } = readConfig(await oldDatabase(t, postgres));
    assert.ok(database.kind === 'postgres');
    const client = await connect(database.url);
    t.after(() => client.end());
    for (const migration of MIGRATIONS.filter(({ name }) => LATER_STEPS.includes(name))) {
      const tables = await client.query(
        "SELECT oid, relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
      );
      const names = new Map(tables.rows.map(({ oid, name }) => [oid, name]));
      if (migration.isConcurrent) {
        await buildIndexes(client, migration.statements(DIALECT));
        assert.equal(effectOn('postgres', migration).stops, undefined, migration.name);
        continue;
      }
      await client.query('BEGIN');
      for (const statement of migration.statements(DIALECT)) await client.query(statement);
      const locks = await client.query(
        "SELECT relation AS oid, mode FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'",
      );
      await client.query('COMMIT');
      const locked: Record<string, string> = {};
      for (const { oid, mode } of locks.rows) {
        const [name, kind] = [names.get(oid), MODES[mode]];
        if (name && kind && locked[name] !== 'all') locked[name] = kind;
      }
      const { stops = {} } = effectOn('postgres', migration);
      assert.deepEqual(locked, stops === 'nothing' ? {} : stops, migration.name);
    }
  });
});

// Needs: processes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { migrateDatabase } from '../../src/cli/migrate.ts';
import { openServerStore } from '../../src/cli/open-server-store.ts';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { nameOf } from '../../src/open-database.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { newKeyText } from '../../src/services/sealing/key.ts';
import { stoa } from '../support/command.ts';
import {
  ENGINES,
  emptySettings,
  type Lifetime,
  type TestEngine,
  temporaryFolder,
} from '../support/engines.ts';
import { placeAt } from '../support/place.ts';
import { releasedDatabase, VERSIONS } from '../support/released-version.ts';

type Settings = Record<string, string>;

describe('What a start does to the tables', { concurrency: true }, () => {
  it('The log of a start says that it made a database, or which steps it applied, and nothing otherwise', async (t) => {
    for (const engine of ENGINES) {
      const settings = await emptySettings(t, engine);
      const made = `a new database was made at ${nameOf(readConfig(settings).database)}`;
      assert.deepEqual(await logOfStart(settings), [made]);
      assert.deepEqual(await logOfStart(settings), []);
      const steps = MIGRATIONS.slice(-2).map(({ name }) => name);
      const line = `the tables were changed for this version: ${steps.join(', ')}`;
      assert.equal((await logOfStart(await earlierSettings(t, engine))).at(-1), line);
    }
  });

  it('A start of a new version, or `stoa migrate`, without the sealing key of the database, or with another, changes no table', async (t) => {
    for (const [index, engine] of ENGINES.entries()) {
      const { settings } = await releasedDatabase(t, engine, VERSIONS.at(-1) ?? '');
      const steps = () => placeAt(settings).sql('SELECT name FROM migrations ORDER BY name');
      const before = await steps();
      assert.ok(before.length < MIGRATIONS.length, 'an upgrade is due');
      const { SEALING_KEY = '', ...others } = settings;
      const keyless = { DATA_DIR: await temporaryFolder(t), ...others, PORT: '0' };
      const withOther = { ...keyless, SEALING_KEY: newKeyText() };
      const noKey = /is sealed, and there is no key at /;
      const otherKey = /is sealed under another key than that of SEALING_KEY/;
      for (const [wrong, why] of [
        [keyless, noKey],
        [withOther, otherKey],
      ] as const) {
        await assert.rejects(migrateDatabase(readConfig(wrong)), why);
        await assert.rejects(logOfStart(wrong), why);
      }
      // A process opens its store in the same way on each engine.
      if (index === 0) {
        await assertRefused(['migrate'], keyless, noKey);
        await assertRefused(['serve'], withOther, otherKey);
        await assertRefused(['serve'], { ...keyless, WORKERS: '2' }, noKey);
      }
      assert.deepEqual(await steps(), before);
      await logOfStart({ ...keyless, SEALING_KEY });
      assert.equal((await steps()).length, MIGRATIONS.length);
    }
  });

  it('A start of a new version whose port is taken changes no table, in one process and with workers', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const line = `Port ${port} (PORT) is in use by another process; choose another.`;
    for (const [index, engine] of ENGINES.entries()) {
      const taken = { ...(await earlierSettings(t, engine)), PORT: String(port), LOG_LEVEL: 'silent' };
      await assert.rejects(logOfStart(taken), { message: line });
      // A process opens its store in the same way on each engine.
      if (index === 0)
        for (const WORKERS of ['1', '2']) await assertRefused(['serve'], { ...taken, WORKERS }, `${line}\n`);
      const [{ steps } = {}] = await placeAt(taken).sql('SELECT count(*) AS steps FROM migrations');
      assert.equal(Number(steps), MIGRATIONS.length - 2);
    }
  });
});

/** Settings for a database of the version before the last two steps. */
async function earlierSettings(t: Lifetime, engine: TestEngine): Promise<Settings> {
  const settings = await emptySettings(t, engine);
  await migrateStore(readConfig(settings).database, MIGRATIONS.slice(0, -2), () => {});
  return settings;
}

/** Opens the store as each `stoa serve` does, and closes it. Returns what the log says. */
async function logOfStart(settings: Settings): Promise<string[]> {
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => log.push(JSON.parse(line).msg) });
  await (await openServerStore(readConfig(settings), logger)).close();
  return log;
}

async function assertRefused(args: string[], settings: Settings, why: RegExp | string): Promise<void> {
  const { code, stderr } = await stoa(args, { settings });
  assert.equal(code, 1);
  if (typeof why === 'string') assert.equal(stderr, why);
  else assert.match(stderr, why);
}

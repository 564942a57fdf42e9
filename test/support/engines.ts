import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, type TestContext } from 'node:test';
import { noteFolder, removeFolder } from './folders.ts';
import { newMigratedDatabase, newPostgresDatabase } from './postgres.ts';
import { SEALING_KEY } from './sealing.ts';
import { copyMigratedFile } from './sqlite.ts';

/** A test or a suite: it runs work that was left for its end. */
export type Lifetime = Pick<TestContext, 'after'>;

/** On a busy machine a statement may wait for longer than any client should (`StoreOptions`). */
export const PATIENCE = 10;

/** A database engine that the suites run on; each test gets an empty database of its own. */
export interface TestEngine {
  readonly name: string;
  /** Makes a new database without a row, which is removed after the tests, and returns the settings for it. */
  readonly settings: (t: Lifetime) => Promise<Record<string, string>>;
}

export const sqlite: TestEngine = {
  name: 'SQLite',
  settings: async (t) => ({ DATA_DIR: dirname(await newSqliteFile(t)) }),
};

export const postgres: TestEngine = {
  name: 'PostgreSQL',
  settings: async () => ({ DATABASE_URL: await newMigratedDatabase(), SEALING_KEY }),
};

/** A database file of SQLite with the schema as it is now and without a row, in a folder that is removed after the test. */
export async function newSqliteFile(t: Lifetime): Promise<string> {
  const folder = await temporaryFolder(t);
  await copyMigratedFile(folder);
  return join(folder, 'stoa.db');
}

/** Settings for a database without a table, for tests of what makes them. */
export async function emptySettings(t: Lifetime, engine: TestEngine): Promise<Record<string, string>> {
  if (engine.name === sqlite.name) return { DATA_DIR: await temporaryFolder(t) };
  return { DATABASE_URL: await newPostgresDatabase(), SEALING_KEY };
}

/** The lifetime of the suite that is being declared. */
export function lifetimeOfSuite(): Lifetime {
  const works: (() => unknown)[] = [];
  after(async () => {
    for (const work of works) await work();
  });
  return {
    after: (work) => {
      if (typeof work === 'function') works.push(() => Reflect.apply(work, undefined, []));
    },
  };
}

/** Both engines, or the one that STOA_TEST_ENGINE names (sqlite or postgres). */
export const ENGINES: readonly TestEngine[] = chosenEngines(process.env.STOA_TEST_ENGINE);

function chosenEngines(name: string | undefined): readonly TestEngine[] {
  if (name === undefined) return [sqlite, postgres];
  if (name === 'sqlite') return [sqlite];
  if (name === 'postgres') return [postgres];
  throw new Error(`STOA_TEST_ENGINE must be sqlite or postgres, not "${name}".`);
}

/** The engine with one new database, which all services that a test starts with it share. */
export async function sameDatabase(t: Lifetime, engine: TestEngine): Promise<TestEngine> {
  const settings = await engine.settings(t);
  return { name: engine.name, settings: async () => settings };
}

/** Runs one suite on every engine: the same tests, word for word. */
export function onEveryEngine(title: string, suite: (engine: TestEngine) => void): void {
  for (const engine of ENGINES)
    describe(`${title}, on ${engine.name}`, { concurrency: true }, () => suite(engine));
}

/** Runs a suite on the first engine, because what it asks about reaches no SQL, or the same on every engine. */
export function onOneEngine(
  title: string,
  suite: (engine: TestEngine) => void,
  concurrency: number | true = true,
): void {
  for (const engine of ENGINES.slice(0, 1)) describe(title, { concurrency }, () => suite(engine));
}

/** An empty folder, which is removed when the test ends. */
export async function temporaryFolder(t: Lifetime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  noteFolder(folder);
  t.after(() => removeFolder(folder));
  return folder;
}

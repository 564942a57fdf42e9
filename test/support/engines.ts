import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import { newPostgresDatabase } from './postgres.ts';
import { SEALING_KEY } from './sealing.ts';

/** Whatever ends one day and runs what was left for that moment: a test, or a suite. */
export type Lifetime = Pick<TestContext, 'after'>;

/** A database engine that the suites run on; each test gets an empty database of its own. */
export interface TestEngine {
  readonly name: string;
  /** The settings that lead to a new, empty database, which goes when the tests have ended. */
  readonly settings: (t: Lifetime) => Promise<Record<string, string>>;
}

const sqlite: TestEngine = {
  name: 'SQLite',
  settings: async (t) => ({ DATA_DIR: await temporaryFolder(t) }),
};

export const postgres: TestEngine = {
  name: 'PostgreSQL',
  settings: async () => ({ DATABASE_URL: await newPostgresDatabase(), SEALING_KEY }),
};

/** Both, or the one that STOA_TEST_ENGINE names (sqlite or postgres), as in the everyday run. */
export const ENGINES: readonly TestEngine[] = chosenEngines(process.env.STOA_TEST_ENGINE);

function chosenEngines(name: string | undefined): readonly TestEngine[] {
  if (name === undefined) return [sqlite, postgres];
  if (name === 'sqlite') return [sqlite];
  if (name === 'postgres') return [postgres];
  throw new Error(`STOA_TEST_ENGINE must be sqlite or postgres, not "${name}".`);
}

/** The engine with one new database for every service that a test starts with it, at once or in turn. */
export async function sameDatabase(t: Lifetime, engine: TestEngine): Promise<TestEngine> {
  const settings = await engine.settings(t);
  return { name: engine.name, settings: async () => settings };
}

/** Runs one suite on every engine: the same tests, word for word. */
export function onEveryEngine(title: string, suite: (engine: TestEngine) => void): void {
  for (const engine of ENGINES)
    describe(`${title}, on ${engine.name}`, { concurrency: true }, () => suite(engine));
}

/** An empty folder that goes with the test. */
export async function temporaryFolder(t: Lifetime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

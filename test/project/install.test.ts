// Needs: processes.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { VERSION } from '../../src/version.ts';
import { newCheckout, pathOfNewcomer } from '../support/checkout.ts';
import { newAccount } from '../support/client.ts';
import { type CommandResult, run } from '../support/command.ts';
import { lifetimeOfSuite, temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

const README = new URL('../../README.md', import.meta.url);
/** MB that an installation for production takes at most; with what tests and development need it is 550. */
const MOST_MB = 258;
/** An installation takes minutes where the machine is busy. */
const NPM_MS = 540_000;

const PATH = pathOfNewcomer();

describe('A fresh clone', { timeout: 600_000 }, () => {
  let checkout = '';
  const lifetime = lifetimeOfSuite();
  before(async () => {
    checkout = await newCheckout(lifetime);
  });

  it('A fresh clone is installed and started by the first command of the README', async (t) => {
    assert.equal(firstCommand(), 'npm ci --omit=dev && npm start');
    assertInstalled(await npm(checkout, ['ci', '--omit=dev']));
    assert.deepEqual(
      developmentPackages(checkout).filter(({ present }) => present),
      [],
    );
    const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: checkout });
    assert.ok(Number.parseInt(stdout, 10) <= MOST_MB, stdout);

    const built = builtAt(checkout);
    const DATA_DIR = await temporaryFolder(t);
    const start = { program: 'npm', args: ['start'], cwd: checkout };
    const service = await startProcess(t, { PATH, DATA_DIR }, start);
    await newAccount(service.url);
    assert.equal((await fetch(`${service.url}/docs`)).status, 200);
    assert.equal(await service.stop('SIGTERM'), 0, service.stderr());
    assert.ok(
      !existsSync(join(DATA_DIR, 'stoa.db-wal')),
      'the service itself got the signal, and closed its data',
    );
    assert.equal(builtAt(checkout), built, 'what the installation built is not built again');
  });

  it('A fresh clone is installed by `npm ci` where NODE_ENV is production', async () => {
    // To install again would take 20 s of a processor. A dry run says what else it would install, and runs the scripts.
    rmSync(join(checkout, 'dist'), { recursive: true });
    assert.deepEqual(await missingPackages(checkout, { NODE_ENV: 'production' }), []);
    const missing = await missingPackages(checkout);
    assert.ok(missing.length > 50, `npm says what is missing: ${missing.length} packages`);
    const version = await run('npm', ['run', '--silent', 'stoa', '--', '--version'], {
      cwd: checkout,
      settings: { PATH },
    });
    assert.equal(version.stdout, `${VERSION} (commit unknown)\n`, version.stderr);
  });
});

function firstCommand(): string | undefined {
  return readFileSync(README, 'utf8').match(/```sh\n(.*)\n```/)?.[1];
}

function npm(cwd: string, args: string[], settings: Record<string, string> = {}): Promise<CommandResult> {
  // The packages of this checkout are in npm's cache, so that most runs ask no network.
  const env = { PATH, npm_config_prefer_offline: 'true', ...settings };
  return run('npm', args, { cwd, settings: env, limitMs: NPM_MS });
}

/** The packages that `npm ci` would install in addition. */
async function missingPackages(cwd: string, settings: Record<string, string> = {}): Promise<string[]> {
  const said = await npm(cwd, ['ci', '--dry-run'], settings);
  assertInstalled(said);
  return said.stdout.split('\n').filter((line) => line.startsWith('add '));
}

function assertInstalled({ code, stderr }: CommandResult): void {
  assert.equal(code, 0, stderr);
}

/** What the lockfile keeps for development alone, and whether it is there. */
function developmentPackages(checkout: string): { path: string; present: boolean }[] {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  const paths = Object.keys(packages).filter((path) => packages[path].dev);
  assert.ok(paths.length > 50, `${paths.length} packages`);
  return paths.map((path) => ({ path, present: existsSync(join(checkout, path)) }));
}

function builtAt(checkout: string): number {
  return statSync(join(checkout, 'dist/main.js')).mtimeMs;
}

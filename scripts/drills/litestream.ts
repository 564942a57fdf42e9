import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { newAccount } from '../../test/support/client.ts';
import { run, stoa } from '../../test/support/command.ts';
import { known, oldDatabase } from '../../test/support/earlier-version.ts';
import { sqlite } from '../../test/support/engines.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { faultsOf } from './afterwards.ts';
import { lossOf, startWriters } from './writers.ts';

/**
 * Loses the data folder of a service under 32 writers, with Litestream next to it, and restores it
 * (docs/to-the-second.md): node scripts/drills/litestream.ts <path of litestream> [rounds] [case]
 */
const [litestream = 'litestream', rounds = '1', only] = process.argv.slice(2);
/** One port, so that the writers find the service again after a restart. */
const PORT = String(20_000 + Math.floor(Math.random() * 10_000));
/** Litestream sends once a second. What it said is printed where it was later than this. */
const LATE_SECONDS = 5;
const owner: (() => unknown)[] = [];
const t = { after: (work: unknown) => void owner.push(work as () => unknown) };

interface Place {
  readonly folder: string;
  readonly database: string;
  readonly settings: Record<string, string>;
  readonly config: string;
  /** The running parts. */
  service: ServiceProcess;
  sidecar: ReturnType<typeof replicate>;
}

const seconds = (most: number) => pause(1_000 + Math.random() * most * 1_000);

/** What happens while the writers write, before all is killed. */
const CASES: Record<string, (place: Place) => Promise<unknown>> = {
  nothing: () => seconds(12),
  'service killed and started': async (place) => {
    for (let times = 0; times < 3; times++) {
      await seconds(4);
      await place.service.stop('SIGKILL');
      place.service = await startProcess(t, place.settings);
    }
    await seconds(4);
  },
  'service stopped and started': async (place) => {
    for (let times = 0; times < 3; times++) {
      await seconds(4);
      await place.service.stop('SIGTERM');
      place.service = await startProcess(t, place.settings);
    }
    await seconds(4);
  },
  'Litestream stopped for a while': async (place) => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await seconds(4);
      await place.sidecar.stop(signal);
      await seconds(12);
      place.sidecar = replicate(place.config);
    }
    await seconds(8);
  },
  'service and Litestream restarted, in turn': async (place) => {
    for (let times = 0; times < 2; times++) {
      await seconds(3);
      await place.sidecar.stop('SIGTERM');
      await seconds(3);
      await place.service.stop('SIGTERM');
      place.service = await startProcess(t, place.settings);
      await seconds(3);
      place.sidecar = replicate(place.config);
    }
    // It copies the whole database again, because it does not know what was written meanwhile.
    await pause(10_000);
    await seconds(6);
  },
  'upgraded from step 17': () => seconds(8),
};

function replicate(config: string) {
  const child = spawn(litestream, ['replicate', '-config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  t.after(() => child.kill('SIGKILL'));
  return {
    said: () => said.join(''),
    stop: async (signal: NodeJS.Signals) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

async function drill(name: string, during: (place: Place) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-drill-'));
  const data = join(folder, 'data');
  const database = join(data, 'stoa.db');
  const config = join(folder, 'litestream.yml');
  await mkdir(data, { mode: 0o700 });
  await writeFile(
    config,
    `dbs:\n  - path: ${database}\n    replica:\n      type: file\n      path: ${join(folder, 'replica')}\n`,
  );
  const isUpgrade = name.startsWith('upgraded');
  if (isUpgrade) {
    const { DATA_DIR } = await oldDatabase(t, sqlite);
    await copyFile(join(String(DATA_DIR), 'stoa.db'), database);
  }
  const settings = { DATA_DIR: data, PORT, SEALING_KEY: known.sealingKey };
  const sidecar = replicate(config);
  // Litestream has copied the earlier version before the start migrates it.
  if (isUpgrade) await pause(3_000);
  const place: Place = {
    ...{ folder, database, settings, config, sidecar },
    service: await startProcess(t, settings),
  };
  try {
    const { url } = place.service;
    const { token, username } = await newAccount(url);
    const written = startWriters(url, token);
    let longest = 0;
    const watch = setInterval(() => {
      if (existsSync(`${database}-wal`)) longest = Math.max(longest, statSync(`${database}-wal`).size);
    }, 20);
    await during(place);
    clearInterval(watch);
    const endedAt = Date.now();
    await Promise.all([place.service.stop('SIGKILL'), place.sidecar.stop('SIGKILL')]);
    await written.stop();
    await rename(data, join(folder, 'lost'));
    await mkdir(data, { mode: 0o700 });

    const begun = performance.now();
    await must(run(litestream, ['restore', '-config', config, database]));
    const restoredIn = (performance.now() - begun) / 1_000;
    const titles = inspect(database);
    const loss = lossOf(written.acknowledged, titles, endedAt);
    const sorted = written.took.toSorted((a, b) => a - b);
    console.log(
      `${name}: ${loss.acknowledged} acknowledged, ${loss.lost} lost, of the last ${loss.seconds.toFixed(1)} s, ` +
        `${loss.keptLater} kept after one lost; log at most ${(longest / 1e6).toFixed(0)} MB; creation p50 ` +
        `${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms; restored in ${restoredIn.toFixed(1)} s, ` +
        `${(statSync(database).size / 1e6).toFixed(0)} MB`,
    );
    const faults = await faultsOf({ t, settings, username, highestId: written.highestId() });
    const backup = await stoa(['backup', join(folder, 'backup.zst')], { settings });
    if (backup.code !== 0) faults.push(backup.stderr);
    if (loss.seconds > LATE_SECONDS) faults.push(place.sidecar.said().slice(-3_000));
    for (const fault of faults) console.log(`  WRONG ${fault}`);
  } catch (error) {
    console.log(`${name}: FAILED`, error, place.sidecar.said().slice(-3_000), `(${folder} is kept)`);
    return;
  } finally {
    for (const work of owner.splice(0)) await work();
  }
  await rm(folder, { recursive: true, force: true });
}

/** Fails where the file is damaged. Returns the titles that it has. */
function inspect(file: string): Set<string> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const problems = database.prepare('PRAGMA integrity_check').all();
    if (problems[0]?.integrity_check !== 'ok') throw new Error(JSON.stringify(problems.slice(0, 5)));
    if (database.prepare('PRAGMA foreign_key_check').all().length > 0) throw new Error('broken references');
    return new Set(
      database
        .prepare('SELECT title FROM content')
        .all()
        .map(({ title }) => String(title)),
    );
  } finally {
    database.close();
  }
}

async function must(running: ReturnType<typeof run>): Promise<void> {
  const { code, stdout, stderr } = await running;
  if (code !== 0) throw new Error(stdout + stderr);
}

for (let round = 0; round < Number(rounds); round++)
  for (const [name, during] of Object.entries(CASES))
    if (only === undefined || name.includes(only)) await drill(name, during);
process.exit(0);

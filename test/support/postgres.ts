import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { hashOfSources } from '../../scripts/sources.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { type Cluster, startSharedCluster } from './cluster.ts';
import { findServer } from './shared-server.ts';

let ownServer: Promise<Cluster> | undefined;
let server: Promise<string> | undefined;
let administration: Promise<Client> | undefined;
/** Settled when all statements that came so far have ended. */
let administered: Promise<unknown> = Promise.resolve();
const databases: string[] = [];

// This runs at the end of the test file, when no store and no process of its tests uses a database any more.
after(async () => {
  await dropDatabases();
  await (await ownServer)?.remove();
});

/** Removes all databases that were made until now. */
export async function dropDatabases(): Promise<void> {
  if (administration === undefined) return;
  for (const name of databases.splice(0)) await administer(`DROP DATABASE ${name} WITH (FORCE)`);
  const connection = await administration;
  administration = undefined;
  await connection.end();
}

/** Removes one of them now, with the connections to it. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  databases.splice(databases.indexOf(name), 1);
  await administer(`DROP DATABASE ${name} WITH (FORCE)`);
}

/** Removes one of them, with the connections to it, and makes it again empty. */
export async function emptyDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await administer(`DROP DATABASE ${name} WITH (FORCE)`);
  await administer(`CREATE DATABASE ${name}`);
}

/** By one connection for all databases of a file, one after another: a new one costs half as much as a database. */
function administer(sql: string): Promise<unknown> {
  administration ??= serverUrl().then(connect);
  const connection = administration;
  const done = administered.then(async () => (await connection).query(sql));
  administered = done.catch(() => {});
  return done;
}

/** The server of this run, or that of `npm run test:server`. Without either, the test file starts its own. */
function serverUrl(): Promise<string> {
  server ??= findServer().then(async (found) => {
    if (found !== undefined) return found;
    ownServer = startSharedCluster();
    return (await ownServer).url;
  });
  return server;
}

/**
 * The URL of a new, empty database that nobody else uses. It is removed when the tests of the file have ended.
 * `options` are those of CREATE DATABASE.
 */
export async function newPostgresDatabase(options = ''): Promise<string> {
  if (process.env.STOA_TEST_ENGINE === 'sqlite') {
    throw new Error(
      'A test that needs PostgreSQL says "// Needs: PostgreSQL." at the head of its file, or is in onEveryEngine.',
    );
  }
  const server = await serverUrl();
  const name = `stoa_test_${randomBytes(8).toString('hex')}`;
  await administer(`CREATE DATABASE ${name} ${options}`);
  databases.push(name);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

let template: Promise<string> | undefined;

/** The same with the schema as it is now: the copy of a database takes a quarter of the time of all steps. */
export async function newMigratedDatabase(): Promise<string> {
  template ??= migratedTemplate();
  return newPostgresDatabase(`TEMPLATE ${await template} STRATEGY FILE_COPY`);
}

/** The first test file of a run that asks makes it, for all that share the server. */
async function migratedTemplate(): Promise<string> {
  const name = `stoa_template_${hashOfSources().slice(0, 16)}`;
  const url = new URL(await serverUrl());
  const server = await connect(url.href);
  try {
    await server.query("SELECT pg_advisory_lock(hashtext('stoa_template'))");
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return name;
    await server.query(`DROP DATABASE IF EXISTS ${name}_new`);
    await server.query(`CREATE DATABASE ${name}_new`);
    url.pathname = `/${name}_new`;
    await migrateStore({ kind: 'postgres', url: url.href, poolSize: 1 }, undefined, () => {});
    await server.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
    return name;
  } finally {
    await server.end();
  }
}

/** Runs SQL over a connection of its own and returns the rows. */
export async function execute<Row extends object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = await connect(url);
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** A connection for a test that holds locks or looks at the server. The caller ends it. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Client } from 'pg';

/** Where `npm run test:server` writes the URL of the PostgreSQL that it started. */
const FOLDER = new URL('../../node_modules/.cache/stoa/', import.meta.url);
const STATE = new URL('test-server', FOLDER);

/**
 * The URL of a PostgreSQL that others have started for the tests, of a user that may create databases:
 * STOA_TEST_POSTGRES, or that of `npm run test:server` where it still answers. Otherwise undefined.
 */
export async function findServer(): Promise<string | undefined> {
  if (process.env.STOA_TEST_POSTGRES) return process.env.STOA_TEST_POSTGRES;
  const url = await readFile(STATE, 'utf8').catch(() => undefined);
  // A server that was killed leaves its state behind.
  return url !== undefined && (await answers(url)) ? url : undefined;
}

/** Lets the test files of this checkout find the server. */
export async function announceServer(url: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(STATE, url, { mode: 0o600 });
}

export async function withdrawServer(): Promise<void> {
  await rm(STATE, { force: true });
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

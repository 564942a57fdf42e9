import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { DOCUMENT } from '../document.ts';
import { collectOpenapi } from '../http/openapi.ts';
import type { App } from '../http/server.ts';
import { openStore } from '../open-store.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { VERSION } from '../version.ts';

/** The document of the service as it is really assembled, with the default settings, as JSON text. */
export async function generateOpenapi(): Promise<string> {
  let document = () => '';
  await assembleOnce(async (bare) => {
    document = await collectOpenapi(bare, VERSION, DOCUMENT);
  });
  return document();
}

/** Assembles the service on an empty SQLite database in a temporary folder, so that `beforeRoutes` sees all routes. */
export async function assembleOnce(
  beforeRoutes: (bare: App) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'stoa-openapi-'));
  const config = readConfig({ ...settings, DATA_DIR: folder.path, LOG_LEVEL: 'silent' });
  await using hashing = new HashingPool(1);
  const store = await openStore(config.database);
  try {
    const logger = pino({ level: 'silent' });
    const app = await buildApp({ config, store, hashing, logger, beforeRoutes });
    await app.close();
  } finally {
    await store.close();
  }
}

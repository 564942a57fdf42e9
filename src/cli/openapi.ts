import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { HashingPool } from '../auth/hashing/pool.ts';
import { readConfig } from '../config.ts';
import { collectOpenapi } from '../http/openapi.ts';
import { openStore } from '../open-store.ts';
import { VERSION } from '../version.ts';

/** Prints the document of the service as it is really assembled, with the default settings. */
export async function printOpenapi(): Promise<void> {
  process.stdout.write(await generateOpenapi());
}

/** The document as JSON text, from the app on an empty SQLite database in a temporary folder. */
export async function generateOpenapi(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stoa-openapi-'));
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const store = await openStore(config.database);
  const hashing = new HashingPool(1);
  try {
    let document = () => '';
    const app = await buildApp({
      config,
      store,
      hashing,
      logger: pino({ level: 'silent' }),
      beforeRoutes: async (bare) => {
        document = await collectOpenapi(bare, VERSION);
      },
    });
    const text = document();
    await app.close();
    return text;
  } finally {
    await Promise.all([store.close(), hashing.close()]);
    await rm(dataDir, { recursive: true });
  }
}

import type { AddressInfo } from 'node:net';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { HashingPool } from '../auth/hashing/pool.ts';
import type { Config } from '../config.ts';
import { reasonOf } from '../domain/reason.ts';
import { drain } from '../http/draining.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store/store.ts';
import { hasAdmin } from '../users/admin.ts';
import { VERSION } from '../version.ts';

/** Running requests have this long to finish once a signal asks the service to stop. */
const GRACE_MS = 9_000;

/** Serves until SIGTERM or SIGINT; then finishes running requests, closes the database and exits with 0. */
export async function serve(config: Config): Promise<void> {
  const logger = pino({ level: config.logLevel, base: null, redact: ['req.headers.authorization'] });
  // Thrown outside of any request, it ends the process below: what supervises it starts it anew, and
  // nothing is half alive meanwhile.
  const onLost = (reason: Error) => {
    throw reason;
  };
  const notice = (message: string, error?: unknown) =>
    logger.warn(error === undefined ? {} : { cause: reasonOf(error) }, message);
  const store = await openStore(config.database, { onLost, notice });
  const hashing = new HashingPool();
  const app = await buildApp({ config, store, hashing, logger }).catch(async (error) => {
    await Promise.all([hashing.close(), store.close()]);
    throw error;
  });
  const close = async () => {
    await app.close();
    await Promise.all([hashing.close(), store.close()]);
  };
  const signals = closeWithGrace({ delay: GRACE_MS, logger }, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, 'stopping after an unexpected error');
    else logger.info({ signal }, 'stopping');
    if (signal) await drain(app.server);
    await close();
    logger.info('stopped');
  });
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    signals.uninstall();
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  await greet(config, store, port);
  if (process.stdout.isTTY && process.stderr.isTTY) return;
  logger.info({ version: VERSION, host: config.host, port, database: config.database.kind }, 'listening');
}

/**
 * For the person at the terminal; on stderr, so that stdout stays one JSON line per event. A terminal
 * that shows both sees this alone, and not the line of the log that says the same.
 */
async function greet(config: Config, store: Store, port: number): Promise<void> {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}`;
  const data = config.database.kind === 'sqlite' ? `${config.database.file} (SQLite)` : 'PostgreSQL';
  const lines = [
    `Stoa ${VERSION}`,
    `  listening  ${url}`,
    `  data       ${data}`,
    `  reference  ${url}/docs`,
  ];
  if (!(await store.read(hasAdmin, null))) {
    lines.push('  There is no admin yet. Make one with:  npx stoa admin create');
  }
  process.stderr.write(`\n${lines.join('\n')}\n\n`);
}

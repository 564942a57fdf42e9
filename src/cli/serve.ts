import type { AddressInfo } from 'node:net';
import closeWithGrace from 'close-with-grace';
import { hasAdmin } from '../accounts/admins.ts';
import { buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import { isUnavailable } from '../domain/failure.ts';
import { httpUrl } from '../domain/http-url.ts';
import { typed } from '../domain/installation.ts';
import { reasonOf } from '../domain/reason.ts';
import { drain } from '../http/draining.ts';
import { LIMITS } from '../http/limits.ts';
import { openStore } from '../open-store.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { newSetupLink } from '../setup/link.ts';
import type { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { addressForPeople } from './address-for-people.ts';
import { openLogger } from './logger.ts';
import { onStopSignals, STOP_SIGNALS, type StopSignal } from './stop-signals.ts';

/** The longest time for the stop after a signal: requests under way, and closing the store. */
const GRACE_MS = 9_000;

/** Serves until SIGTERM or SIGINT. Then finishes the requests under way, closes the database and exits with 0. */
export async function serve(config: Config): Promise<void> {
  const logger = await openLogger(config.logLevel);
  // The error is thrown outside of any request, so `closeWithGrace` below ends the process. A supervisor can then start
  // the service again, and no half-working process stays.
  const onLost = (reason: Error) => {
    throw reason;
  };
  const notice = (message: string, error?: unknown) =>
    logger.warn(error === undefined ? {} : { cause: reasonOf(error) }, message);
  const store = await openStore(config.database, { user: 'server', onLost, notice });
  const hashing = new HashingPool();
  const app = await buildApp({ config, store, hashing, logger }).catch(async (error) => {
    await Promise.all([hashing.close(), store.close()]);
    throw error;
  });
  const close = async () => {
    await app.close();
    await Promise.all([hashing.close(), store.close()]);
  };
  let asked: StopSignal | undefined;
  let isStopping = false;
  const options = { delay: GRACE_MS, logger, skip: [...STOP_SIGNALS] };
  const grace = closeWithGrace(options, async ({ err, signal = asked }) => {
    isStopping = true;
    if (err) logger.fatal({ err }, 'stopping after an unexpected error');
    else logger.info({ signal }, 'stopping');
    if (signal) await drain(app.server);
    await close();
    logger.info('stopped');
  });
  const insist = (signal: StopSignal) => {
    logger.error({ signal }, 'asked to stop once more; ending at once');
    process.exit(1);
  };
  const ignoreSignals = onStopSignals((signal) => {
    if (isStopping) insist(signal);
    asked = signal;
    grace.close();
  }, insist);
  try {
    await app.listen({ host: config.host, port: config.port, backlog: LIMITS.backlog });
  } catch (error) {
    ignoreSignals();
    grace.uninstall();
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  await greet(config, store, port);
  if (process.stdout.isTTY && process.stderr.isTTY) return;
  logger.info({ version: VERSION, host: config.host, port, database: config.database.kind }, 'listening');
}

/**
 * Shows the address of the service at the terminal. The greeting is on stderr, so that stdout has only the log.
 * Where one terminal shows both, the log line with the same content is left out.
 */
async function greet(config: Config, store: Store, port: number): Promise<void> {
  const url = httpUrl(config.host, port);
  const data = config.database.kind === 'sqlite' ? `${config.database.file} (SQLite)` : 'PostgreSQL';
  const lines = [
    `Stoa ${VERSION}`,
    `  listening  ${url}`,
    `  data       ${data}`,
    `  reference  ${url}/docs`,
  ];
  if (config.console) lines.push(`  console    ${addressForPeople(config, port)}/console`);
  if (!(await store.read(hasAdmin, null))) lines.push(...(await firstAdminHint(config, store, port)));
  process.stderr.write(`\n${lines.join('\n')}\n\n`);
}

async function firstAdminHint(config: Config, store: Store, port: number): Promise<string[]> {
  const link = config.console ? await setupLink(config, store, port) : undefined;
  if (link === undefined) return [`  There is no admin yet. Make one with:  ${typed('admin create')}`];
  const hint = '  There is no admin yet. Become one by this link, which works once, within a day:';
  return ['', hint, `  ${link}`];
}

/** Undefined where there is an admin by now, and where the link cannot be stored: a full disk ends no start. */
function setupLink(config: Config, store: Store, port: number): Promise<string | undefined> {
  return newSetupLink(store, addressForPeople(config, port), Date.now()).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
    return undefined;
  });
}

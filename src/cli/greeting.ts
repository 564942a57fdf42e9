import type { Logger } from 'pino';
import { hasAdmin } from '../accounts/admins.ts';
import type { Config } from '../config.ts';
import { isUnavailable } from '../domain/failure.ts';
import { httpUrl } from '../domain/http-url.ts';
import { typed } from '../domain/installation.ts';
import { newSetupLink } from '../setup/link.ts';
import type { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { addressForPeople } from './address-for-people.ts';

/**
 * Shows the address of the service at the terminal. The greeting is on stderr, so that stdout has only the log.
 * Where one terminal shows both, the log line with the same content is left out.
 */
export async function greet(config: Config, store: Store, port: number): Promise<void> {
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

/** The same for the log. At a terminal that shows both, the greeting is enough. */
export function logListening(logger: Logger, { host, database, workers }: Config, port: number): void {
  if (process.stdout.isTTY && process.stderr.isTTY) return;
  const several = workers > 1 ? { workers } : {};
  logger.info({ version: VERSION, host, port, database: database.kind, ...several }, 'listening');
}

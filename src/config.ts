import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from './domain/operator-error.ts';
import { hasCode, reasonOf } from './domain/reason.ts';
import { readMailTemplates } from './mail-templates.ts';
import { readPasswordBlocklist } from './password-blocklist.ts';
import { type MailSettings, parseSender, parseSmtpUrl, type SmtpServer } from './services/mail/settings.ts';
import { KEY_FILE, parseKey } from './services/sealing/key.ts';

/** Everything that can be set, checked and frozen. Read once at start; nothing else reads the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: Database;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Addresses (CIDR) of the proxies whose X-Forwarded-* headers count; false for none. */
  readonly trustProxy: false | string[];
  /** The address that clients use, without a slash at its end; undefined when not set. */
  readonly publicUrl: string | undefined;
  /** Of other sites whose pages may read the answers. */
  readonly corsOrigins: readonly string[];
  readonly contentRead: 'public' | 'members';
  readonly usersList: 'members' | 'admins';
  /** The key of SEALING_KEY or SEALING_KEY_FILE; undefined where the service keeps one itself. */
  readonly sealingKey: Uint8Array | undefined;
  /** Where the service keeps its sealing key itself: beside the embedded database, or in DATA_DIR. */
  readonly sealingKeyFile: string;
  /** Days that an event stays in the audit trail. */
  readonly auditDays: number;
  /** Living sessions of one account at most. */
  readonly sessionLimit: number;
  /** Of one account, at one instance; 0 is no bound. */
  readonly writesPerHour: number;
  readonly writtenMebibytesPerHour: number;
  /** Of one source, at one instance; 0 is no bound. */
  readonly registrationsPerHour: number;
  readonly refusedRefreshesPerHour: number;
  /** Folded passwords that nobody may choose. */
  readonly passwordBlocklist: ReadonlySet<string>;
  /** Undefined where the service sends no mail. */
  readonly mail: MailSettings | undefined;
}

export type Database =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolSize: number };

const DEFAULT_PORT = '8080';
/** Connections to PostgreSQL that one instance opens at most, beside one that listens. */
const DEFAULT_POOL = 10;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;
/** Reads one setting; undefined where it is wrong, which is remembered. */
type Setting = <Value>(name: string, fallback: string, parse: (text: string) => Value) => Value | undefined;

/** One or more settings are wrong; each line of the message names one and says what it must be. */
export class ConfigError extends OperatorError {}

/** The settings of the process: its environment, over the file `.env` where there is one. */
export function loadConfig(): Config {
  if (hasEnvFile()) process.loadEnvFile();
  return readConfig(process.env);
}

/** Reads the file to find out: `loadEnvFile` says of one that it may not read that it is not there. */
function hasEnvFile(): boolean {
  const file = resolve('.env');
  try {
    readFileSync(file);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw new ConfigError(`The file ${file} must be readable, or not be there (${reasonOf(error)}).`);
  }
}

/** Fails with ConfigError, which names every wrong setting at once. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const setting: Setting = (name, fallback, parse) => {
    const text = env[name] ?? fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${reasonOf(error)}`);
      return undefined;
    }
  };

  const dataDir = setting('DATA_DIR', './data', (text) => resolve(nonEmpty(text)));
  const poolSize = setting('DATABASE_POOL', String(DEFAULT_POOL), wholeNumber(1, 1000));
  const database = setting('DATABASE_URL', '', (text) => parseDatabaseUrl(text, dataDir ?? '.', poolSize));
  const smtpServer = setting('SMTP_URL', '', parseSmtpUrl);
  const publicUrl = setting('PUBLIC_URL', '', publicUrlFor(smtpServer));
  const config = {
    host: setting('HOST', '127.0.0.1', host),
    port: setting('PORT', DEFAULT_PORT, port),
    database,
    dataDir,
    logLevel: setting('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
    trustProxy: setting('TRUST_PROXY', 'off', trustProxy),
    publicUrl,
    corsOrigins: setting('CORS_ORIGINS', '', corsOrigins),
    contentRead: setting('CONTENT_READ', 'public', oneOf(['public', 'members'] as const)),
    usersList: setting('USERS_LIST', 'members', oneOf(['members', 'admins'] as const)),
    sealingKey: sealingKey(env, setting),
    sealingKeyFile: join(database?.kind === 'sqlite' ? dirname(database.file) : (dataDir ?? '.'), KEY_FILE),
    auditDays: setting('AUDIT_DAYS', '365', wholeNumber(1, 36_500)),
    sessionLimit: setting('SESSION_LIMIT', '50', wholeNumber(1, 10_000)),
    writesPerHour: setting('WRITES_PER_HOUR', '100000', wholeNumber(0, 100_000_000)),
    writtenMebibytesPerHour: setting('WRITTEN_MB_PER_HOUR', '1024', wholeNumber(0, 1_000_000)),
    registrationsPerHour: setting('REGISTRATIONS_PER_HOUR', '1000', wholeNumber(0, 1_000_000)),
    refusedRefreshesPerHour: setting('REFUSED_REFRESHES_PER_HOUR', '1000', wholeNumber(0, 1_000_000)),
    passwordBlocklist: setting('PASSWORD_BLOCKLIST', '', readPasswordBlocklist),
    mail: mail(setting, smtpServer, publicUrl ?? `http://localhost:${env.PORT ?? DEFAULT_PORT}`),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config as Config);
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty.');
  return text;
}

/** For `localhost` Fastify listens on ::1 too, by a second server that has no bounds of ours. */
function host(text: string): string {
  return text === 'localhost' ? '127.0.0.1' : nonEmpty(text);
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new Error(`must be a port number from 0 to 65535, not "${text}".`);
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new Error(`must be a whole number from ${least} to ${most}, not "${text}".`);
  };
}

function oneOf<Choice extends string>(choices: readonly Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of ${choices.join(', ')}, not "${text}".`);
  };
}

/** `sqlite:<path>` or `postgres://...`; empty is the SQLite file in the data folder. */
export function parseDatabaseUrl(text: string, dataDir: string, poolSize = DEFAULT_POOL): Database {
  if (text === '') return { kind: 'sqlite', file: join(dataDir, 'stoa.db') };
  if (/^postgres(ql)?:/.test(text)) {
    if (isPostgresUrl(text)) return { kind: 'postgres', url: text, poolSize };
    throw new Error(
      'must be postgres://<user>:<password>@<host>/<database>, with special characters in user and password percent-encoded (# is %23, / is %2F, ? is %3F, @ is %40, % is %25).',
    );
  }
  if (/^sqlite:./.test(text)) return { kind: 'sqlite', file: resolve(text.slice('sqlite:'.length)) };
  throw new Error('must be sqlite:<path> or postgres://<user>@<host>/<database>.');
}

/** False where a part was cut short by a character of its own, as "#" and "/" cut a password. */
function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url?.href.includes('://') || /[\s#]/.test(text)) return false;
  const { pathname, search, username, password } = url;
  const isCut = pathname.includes('@') || (pathname === '' && search.includes('@'));
  return !isCut && isDecodable(username) && isDecodable(password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function trustProxy(text: string): false | string[] {
  if (text === 'off') return false;
  const addresses = text.split(',').map((each) => each.trim());
  if (addresses.every(isAddress)) return addresses;
  throw new Error(`must be off, or the addresses of the proxies with commas between them, not "${text}".`);
}

function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (rest.length > 0) return false;
  if (bits === undefined) return most > 0;
  // A range of all addresses (/0) would let every client say where it comes from.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most;
}

function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new Error(`must be an http or https URL, not "${text}".`);
}

function corsOrigins(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const origins = text.split(',').map((each) => each.trim());
  if (origins.includes('*')) {
    throw new Error('must name each origin; "*" would let the pages of every site read the answers.');
  }
  const wrong = origins.find((each) => !/^https?:/.test(each) || URL.parse(each)?.origin !== each);
  if (wrong === undefined) return origins;
  throw new Error(
    `must be origins like https://app.example.org with commas between them (lower case, no path, no slash at the end), not "${wrong}".`,
  );
}

/** What SMTP_URL says: a mail server, `log`, or undefined for no mail. */
type Mailing = SmtpServer | 'log' | undefined;

function sendsMail(server: Mailing): boolean {
  return server !== undefined && server !== 'log';
}

function publicUrlFor(server: Mailing) {
  return (text: string): string | undefined => {
    if (!sendsMail(server) || text !== '') return parsePublicUrl(text);
    throw new Error('must be set beside SMTP_URL: the links of mails begin with it.');
  };
}

function mail(setting: Setting, server: Mailing, publicUrl: string): MailSettings | undefined {
  const from = setting('MAIL_FROM', sendsMail(server) ? '' : 'stoa@localhost', parseSender);
  const templates = setting('MAIL_TEMPLATES', '', (folder) =>
    server === undefined && folder === '' ? undefined : readMailTemplates(folder),
  );
  return server && from && templates && { server, from, publicUrl, templates };
}

function sealingKey(env: Environment, setting: Setting): Uint8Array | undefined {
  if (env.SEALING_KEY === undefined && env.SEALING_KEY_FILE === undefined) return undefined;
  if (env.SEALING_KEY === undefined) return setting('SEALING_KEY_FILE', '', keyInFile);
  return setting('SEALING_KEY', '', (text) => {
    if (env.SEALING_KEY_FILE === undefined) return parseKey(text);
    throw new Error('must not be set beside SEALING_KEY_FILE; take one of the two away.');
  });
}

/** The operator's own file: it may be a link, as secrets of containers are. */
function keyInFile(file: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`must name a readable file with a sealing key; "${file}" is not.`);
  }
  try {
    return parseKey(text.trimEnd());
  } catch (error) {
    throw new Error(`names a file whose content ${reasonOf(error)}`);
  }
}

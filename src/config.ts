import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from './domain/operator-error.ts';
import { hasCode, reasonOf } from './domain/reason.ts';
import { MFA_REQUIRED, type MfaRequired } from './domain/second-factor.ts';
import { parsePageUrl } from './feeds/page-url.ts';
import { readMailTemplates } from './mail-templates.ts';
import { readPasswordBlocklist } from './password-blocklist.ts';
import { type MailSettings, parseSender, parseSmtpUrl, type SmtpServer } from './services/mail/settings.ts';
import { KEY_FILE } from './services/sealing/key.ts';
import { corsOrigins, parsePublicUrl, trustProxy, withoutUser } from './settings/addresses.ts';
import {
  type Database,
  DEFAULT_POOL,
  parseDatabaseUrl,
  parseDirectUrl,
  throughPooler,
} from './settings/database-url.ts';
import { trustExtraCertificates } from './settings/extra-certificates.ts';
import { bucketName, s3Endpoint, s3Key, s3Region } from './settings/s3.ts';
import { sealingKey } from './settings/sealing-key.ts';
import { secretSetting } from './settings/secret.ts';
import type { Environment, Setting } from './settings/setting.ts';
import { ratio, traceHeaders, traceUrl } from './settings/traces.ts';
import { host, nonEmpty, oneOf, port, spanOrOff, wholeNumber } from './settings/values.ts';
import type { TraceSettings } from './traces/open.ts';
import type { Bucket } from './transfer/s3/bucket.ts';

/** All settings, checked and frozen. They are read once at start, and nothing else reads the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Processes that serve. With more than one, a further process starts them (docs/decisions/running.md). */
  readonly workers: number;
  /** Its pool is that of one process: the part of a worker. */
  readonly database: Database;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Where the metrics are served; undefined for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Where traces are sent; undefined for nowhere. */
  readonly traces: TraceSettings | undefined;
  /** Addresses (CIDR) of the proxies whose X-Forwarded-* headers count; false for none. */
  readonly trustProxy: false | string[];
  /** The address that clients use, without a slash at its end; undefined when not set. */
  readonly publicUrl: string | undefined;
  /** Origins of other sites whose pages may read the answers. */
  readonly corsOrigins: readonly string[];
  readonly contentRead: 'public' | 'members';
  /** The address of the page of an item, with placeholders; undefined where there are no feeds. */
  readonly contentUrl: string | undefined;
  readonly usersList: 'members' | 'admins';
  /** Who may register. */
  readonly registration: 'open' | 'invite' | 'closed';
  /** `required`: an account signs in only after its address was proved. */
  readonly emailVerification: 'off' | 'required';
  /** The key of SEALING_KEY or SEALING_KEY_FILE. Undefined where the service keeps a key file. */
  readonly sealingKey: Uint8Array | undefined;
  /** The key file of the service: beside the embedded database, or in DATA_DIR. */
  readonly sealingKeyFile: string;
  /** Where backups are made whose place is not named. */
  readonly backupDir: string;
  /** Milliseconds between two backups by themselves; undefined for none. */
  readonly backupEvery: number | undefined;
  /** How many backups stay in `backupDir`. */
  readonly backupKeep: number;
  /** Files of the operator that other settings name, with secrets in them. */
  readonly secretFiles: readonly string[];
  /** Where proved backups are sent; undefined for nowhere. */
  readonly backupBucket: Bucket | undefined;
  /** Days that an event stays in the audit trail. */
  readonly auditDays: number;
  /** Days from the closing of an account by its owner to its removal. */
  readonly deletionDays: number;
  /** The most living sessions of one account. */
  readonly sessionLimit: number;
  /** Items that one account may write at one instance. 0 is no bound. */
  readonly writesPerHour: number;
  readonly writtenMebibytesPerHour: number;
  /** Text that one account may have stored. 0 is no bound. */
  readonly storedMebibytes: number;
  /** Earlier versions that an item keeps, however old they are. */
  readonly versionsKeep: number;
  /** Days that a deleted item stays in the trash. 0 deletes it for good at once. */
  readonly trashDays: number;
  /** Of one source, at one instance. 0 is no bound. */
  readonly registrationsPerHour: number;
  readonly refusedRefreshesPerHour: number;
  /** Folded passwords that nobody may choose. */
  readonly passwordBlocklist: ReadonlySet<string>;
  /** Undefined where the service sends no mail. */
  readonly mail: MailSettings | undefined;
  readonly mfaRequired: MfaRequired;
  /** True where webhooks may connect to addresses that are not the Internet's. */
  readonly webhookPrivate: boolean;
  /** Streams of events that may be open at this instance. */
  readonly eventsMost: number;
  /** True where the service has the web console. */
  readonly console: boolean;
  /** True where the service makes HTML of the Markdown of items. */
  readonly render: boolean;
}

/** In the folder of the embedded database, or in the data folder. */
export const BACKUP_FOLDER = 'backups';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = '8080';
const MOST_WORKERS = 64;
/** The fewest connections of a worker: one for reads while another writes. */
const LEAST_POOL = 2;
const SECRET_FILES = ['SEALING_KEY_FILE', 'BACKUP_S3_SECRET_ACCESS_KEY_FILE'];
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One or more settings are wrong. Each line of the message names one and says what it must be. */
export class ConfigError extends OperatorError {}

/** The settings of the process: its environment, over the file `.env` where there is one. */
export function loadConfig(): Config {
  if (hasEnvFile()) process.loadEnvFile();
  const config = readConfig(process.env);
  try {
    trustExtraCertificates(process.env);
  } catch (error) {
    throw new ConfigError(`NODE_EXTRA_CA_CERTS ${reasonOf(error)}`);
  }
  return config;
}

/** Reads the file itself, because `loadEnvFile` reports an unreadable file as missing. */
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

/** Fails with a ConfigError that names every wrong setting. */
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
  const workers = setting('WORKERS', '1', wholeNumber(1, MOST_WORKERS));
  const database = databaseOfWorker(setting, dataDir, workers ?? 1);
  const smtpServer = setting('SMTP_URL', '', parseSmtpUrl);
  const publicUrl = setting('PUBLIC_URL', '', publicUrlFor(smtpServer));
  const dataFolder = database?.kind === 'sqlite' ? dirname(database.file) : (dataDir ?? '.');
  const config = {
    host: setting('HOST', DEFAULT_HOST, host),
    port: setting('PORT', DEFAULT_PORT, port),
    workers,
    database,
    dataDir,
    logLevel: setting('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
    metrics: metrics(setting),
    traces: traces(setting),
    trustProxy: setting('TRUST_PROXY', 'off', trustProxy),
    publicUrl,
    corsOrigins: setting('CORS_ORIGINS', '', corsOrigins),
    contentRead: setting('CONTENT_READ', 'public', oneOf(['public', 'members'] as const)),
    contentUrl: setting('CONTENT_URL', '', contentUrlFor(publicUrl)),
    usersList: setting('USERS_LIST', 'members', oneOf(['members', 'admins'] as const)),
    registration: setting('REGISTRATION', 'open', oneOf(['open', 'invite', 'closed'] as const)),
    emailVerification: setting('EMAIL_VERIFICATION', 'off', emailVerification(env)),
    sealingKey: sealingKey(env, setting),
    sealingKeyFile: join(dataFolder, KEY_FILE),
    backupDir: setting('BACKUP_DIR', join(dataFolder, BACKUP_FOLDER), (text) => resolve(nonEmpty(text))),
    backupEvery: setting('BACKUP_EVERY', 'off', spanOrOff),
    backupKeep: setting('BACKUP_KEEP', '14', wholeNumber(1, 10_000)),
    secretFiles: SECRET_FILES.flatMap((name) => env[name] ?? []).map((file) => resolve(file)),
    backupBucket: backupBucket(env, setting),
    auditDays: setting('AUDIT_DAYS', '365', wholeNumber(1, 36_500)),
    deletionDays: setting('DELETION_DAYS', '7', wholeNumber(0, 365)),
    sessionLimit: setting('SESSION_LIMIT', '50', wholeNumber(1, 10_000)),
    writesPerHour: setting('WRITES_PER_HOUR', '100000', wholeNumber(0, 100_000_000)),
    writtenMebibytesPerHour: setting('WRITTEN_MB_PER_HOUR', '1024', wholeNumber(0, 1_000_000)),
    storedMebibytes: setting('STORED_MB', '10240', wholeNumber(0, 100_000_000)),
    versionsKeep: setting('VERSIONS_KEEP', '100', wholeNumber(1, 10_000)),
    trashDays: setting('TRASH_DAYS', '30', wholeNumber(0, 3_650)),
    registrationsPerHour: setting('REGISTRATIONS_PER_HOUR', '1000', wholeNumber(0, 1_000_000)),
    refusedRefreshesPerHour: setting('REFUSED_REFRESHES_PER_HOUR', '1000', wholeNumber(0, 1_000_000)),
    mfaRequired: setting('MFA_REQUIRED', 'none', oneOf(MFA_REQUIRED)),
    webhookPrivate: setting('WEBHOOK_PRIVATE', 'off', oneOf(['off', 'on'] as const)) === 'on',
    eventsMost: setting('EVENTS_MOST', '5000', wholeNumber(1, 15_000)),
    console: setting('CONSOLE', 'on', oneOf(['on', 'off'] as const)) === 'on',
    render: setting('RENDER', 'on', oneOf(['on', 'off'] as const)) === 'on',
    passwordBlocklist: setting('PASSWORD_BLOCKLIST', '', readPasswordBlocklist),
    mail: mail(setting, smtpServer, publicUrl ?? `http://localhost:${env.PORT ?? DEFAULT_PORT}`),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config as Config);
}

/** The database of one worker: the workers have no more connections than DATABASE_POOL together. */
function databaseOfWorker(
  setting: Setting,
  dataDir: string | undefined,
  workers: number,
): Database | undefined {
  const poolSize = setting('DATABASE_POOL', String(DEFAULT_POOL), wholeNumber(1, 1000)) ?? DEFAULT_POOL;
  const directUrl = setting('DATABASE_DIRECT_URL', '', parseDirectUrl);
  return setting('DATABASE_URL', '', (text) => {
    const given = parseDatabaseUrl(text, dataDir ?? '.', Math.floor(poolSize / workers));
    const database = directUrl === undefined ? given : throughPooler(given, directUrl);
    if (database.kind === 'sqlite' || workers === 1 || poolSize >= LEAST_POOL * workers) return database;
    throw new Error(
      `of PostgreSQL needs DATABASE_POOL=${LEAST_POOL * workers} or more with WORKERS=${workers}: each has ${LEAST_POOL} connections at least.`,
    );
  });
}

function traces(setting: Setting): TraceSettings | undefined {
  const url = setting('OTEL_EXPORTER_OTLP_ENDPOINT', '', traceUrl);
  const headers = setting('OTEL_EXPORTER_OTLP_HEADERS', '', traceHeaders);
  const serviceName = setting('OTEL_SERVICE_NAME', 'stoa', nonEmpty);
  const part = setting('OTEL_TRACES_SAMPLER_ARG', '1', ratio);
  return url && headers && serviceName && part !== undefined
    ? { url, headers, serviceName, ratio: part }
    : undefined;
}

function metrics(setting: Setting): Config['metrics'] {
  const metricsHost = setting('METRICS_HOST', DEFAULT_HOST, host);
  const metricsPort = setting('METRICS_PORT', '', (text) => (text === '' ? undefined : port(text)));
  return metricsHost === undefined || metricsPort === undefined
    ? undefined
    : { host: metricsHost, port: metricsPort };
}

function backupBucket(env: Environment, setting: Setting): Bucket | undefined {
  const name = setting('BACKUP_S3_BUCKET', '', bucketName);
  const needed = <Value>(parse: (text: string) => Value) => {
    return (text: string): Value | undefined => {
      if (name === undefined || text !== '') return text === '' ? undefined : parse(text);
      throw new Error('must be set with BACKUP_S3_BUCKET.');
    };
  };
  const endpoint = setting('BACKUP_S3_ENDPOINT', '', needed(s3Endpoint));
  const region = setting('BACKUP_S3_REGION', 'us-east-1', s3Region);
  const accessKeyId = setting('BACKUP_S3_ACCESS_KEY_ID', '', needed(s3Key));
  const secret = {
    name: 'BACKUP_S3_SECRET_ACCESS_KEY',
    what: 'the secret key of a bucket',
    parse: needed(s3Key),
  };
  const isSecretSet = (env[secret.name] ?? env[`${secret.name}_FILE`]) !== undefined;
  const secretAccessKey = isSecretSet
    ? secretSetting(env, setting, secret)
    : setting('BACKUP_S3_SECRET_ACCESS_KEY', '', needed(s3Key));
  return name && endpoint && region && accessKeyId && secretAccessKey
    ? { endpoint, name, region, accessKeyId, secretAccessKey }
    : undefined;
}

function emailVerification({ SMTP_URL = '' }: Environment) {
  return (text: string): 'off' | 'required' => {
    const choice = oneOf(['off', 'required'] as const)(text);
    if (choice === 'off' || SMTP_URL !== '') return choice;
    throw new Error('can be required only with SMTP_URL: an address is proved by the link of a mail.');
  };
}

/** What SMTP_URL says: a mail server, `log`, or undefined for no mail. */
type Mailing = SmtpServer | 'log' | undefined;

function sendsMail(server: Mailing): boolean {
  return server !== undefined && server !== 'log';
}

function publicUrlFor(server: Mailing) {
  return (text: string): string | undefined => {
    if (!sendsMail(server) || text !== '') return parsePublicUrl(text);
    throw new Error('must be set with SMTP_URL: the links of mails begin with it.');
  };
}

function contentUrlFor(publicUrl: string | undefined) {
  return (text: string): string | undefined => {
    const url = parsePageUrl(withoutUser(text));
    if (url === undefined || publicUrl !== undefined) return url;
    throw new Error('can be set only with PUBLIC_URL: feeds have their own address in them.');
  };
}

function mail(setting: Setting, server: Mailing, publicUrl: string): MailSettings | undefined {
  const from = setting('MAIL_FROM', sendsMail(server) ? '' : 'stoa@localhost', parseSender);
  const templates = setting('MAIL_TEMPLATES', '', (folder) =>
    server === undefined && folder === '' ? undefined : readMailTemplates(folder),
  );
  return server && from && templates && { server, from, publicUrl, templates };
}

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time.ts';

/** Of all settings, those that admins may read. A test says of each other one why it is not here. */
export interface ShownSettings {
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly logLevel: string;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly trustProxy: false | readonly string[];
  readonly publicUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly contentRead: string;
  readonly contentUrl: string | undefined;
  readonly usersList: string;
  readonly registration: string;
  readonly emailVerification: string;
  readonly mfaRequired: string;
  readonly backupEvery: number | undefined;
  readonly backupKeep: number;
  readonly backupBucket:
    | { readonly endpoint: string; readonly name: string; readonly region: string }
    | undefined;
  readonly traces: { readonly url: string; readonly serviceName: string; readonly ratio: number } | undefined;
  readonly auditDays: number;
  readonly deletionDays: number;
  readonly sessionLimit: number;
  readonly writesPerHour: number;
  readonly writtenMebibytesPerHour: number;
  readonly storedMebibytes: number;
  readonly versionsKeep: number;
  readonly trashDays: number;
  readonly registrationsPerHour: number;
  readonly refusedRefreshesPerHour: number;
  readonly passwordBlocklist: ReadonlySet<string>;
  readonly mail:
    | {
        readonly server: 'log' | { readonly host: string; readonly port: number };
        readonly from: { readonly address: string };
      }
    | undefined;
  readonly webhookPrivate: boolean;
  readonly eventsMost: number;
  readonly console: boolean;
  readonly render: boolean;
}

/** A setting by its name, and what it is set to. An empty value is that of a setting that is not set. */
export interface ShownSetting {
  readonly name: string;
  readonly value: string;
}

/** `database`: where the database is, without a path, a user and a password. */
export function shownSettings(config: ShownSettings, database: string): ShownSetting[] {
  const { metrics, mail, trustProxy, passwordBlocklist } = config;
  const server = mail?.server;
  const values: Record<string, string | number | boolean | undefined> = {
    HOST: config.host,
    PORT: config.port,
    WORKERS: config.workers,
    DATABASE_URL: database,
    PUBLIC_URL: config.publicUrl,
    TRUST_PROXY: trustProxy === false ? 'off' : trustProxy.join(','),
    CORS_ORIGINS: config.corsOrigins.join(','),
    REGISTRATION: config.registration,
    EMAIL_VERIFICATION: config.emailVerification,
    MFA_REQUIRED: config.mfaRequired,
    PASSWORD_BLOCKLIST: passwordBlocklist.size === 0 ? '' : `${passwordBlocklist.size} passwords`,
    USERS_LIST: config.usersList,
    CONTENT_READ: config.contentRead,
    CONTENT_URL: config.contentUrl,
    RENDER: config.render,
    CONSOLE: config.console,
    SMTP_URL: typeof server === 'object' ? `${server.host}:${server.port}` : server,
    MAIL_FROM: mail?.from.address,
    WEBHOOK_PRIVATE: config.webhookPrivate,
    EVENTS_MOST: config.eventsMost,
    BACKUP_EVERY: spanText(config.backupEvery),
    BACKUP_KEEP: config.backupKeep,
    BACKUP_S3_ENDPOINT: config.backupBucket?.endpoint,
    BACKUP_S3_BUCKET: config.backupBucket?.name,
    BACKUP_S3_REGION: config.backupBucket?.region,
    AUDIT_DAYS: config.auditDays,
    DELETION_DAYS: config.deletionDays,
    TRASH_DAYS: config.trashDays,
    VERSIONS_KEEP: config.versionsKeep,
    SESSION_LIMIT: config.sessionLimit,
    STORED_MB: config.storedMebibytes,
    WRITES_PER_HOUR: config.writesPerHour,
    WRITTEN_MB_PER_HOUR: config.writtenMebibytesPerHour,
    REGISTRATIONS_PER_HOUR: config.registrationsPerHour,
    REFUSED_REFRESHES_PER_HOUR: config.refusedRefreshesPerHour,
    METRICS_HOST: metrics?.host,
    OTEL_EXPORTER_OTLP_ENDPOINT: config.traces && new URL('..', config.traces.url).href,
    OTEL_SERVICE_NAME: config.traces?.serviceName,
    OTEL_TRACES_SAMPLER_ARG: config.traces?.ratio,
    METRICS_PORT: metrics?.port,
    LOG_LEVEL: config.logLevel,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: valueText(value) }));
}

function valueText(value: string | number | boolean | undefined): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value ?? '');
}

/** As the setting is written, in its largest unit. */
function spanText(span: number | undefined): string {
  if (span === undefined) return 'off';
  if (span % DAY_MS === 0) return `${span / DAY_MS}d`;
  return span % HOUR_MS === 0 ? `${span / HOUR_MS}h` : `${span / MINUTE_MS}m`;
}

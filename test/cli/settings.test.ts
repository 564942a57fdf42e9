// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { pino } from 'pino';
import { explain } from '../../src/cli/explain.ts';
import { migrateDatabase } from '../../src/cli/migrate.ts';
import { openServerStore } from '../../src/cli/open-server-store.ts';
import { readConfig } from '../../src/config.ts';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { stoa, stoaUnprivileged } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { knownSettings } from '../support/known-settings.ts';
import { MAIN } from '../support/main.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { SEALING_KEY } from '../support/sealing.ts';

/** Wrong values of each setting, and what its one line must say beside its name. */
const WRONG: readonly (readonly [name: string, value: string, hint: RegExp])[] = [
  ['HOST', '', /must not be empty/],
  ['HOST', '203.0.113.9', /^The host 203\.0\.113\.9 \(HOST\) .* of this machine/],
  ['HOST', 'there-is-no-such-host.invalid', /^The host there-is-no-such-host\.invalid \(HOST\) /],
  ['PORT', '70000', /from 0 to 65535/],
  ['PORT', '80a', /from 0 to 65535/],
  ['DATABASE_URL', 'mysql://localhost/stoa', /must be sqlite:<path> or postgres:/],
  ['DATABASE_URL', 'postgres:stoa', /must be postgres:\/\/<user>/],
  ['DATABASE_DIRECT_URL', 'sqlite:stoa.db', /must be postgres:/],
  ['DATABASE_DIRECT_URL', 'mysql://db.example.org/stoa', /must be postgres:/],
  ['WORKERS', '0', /whole number from 1 to 64, not "0"/],
  ['WORKERS', '65', /whole number from 1 to 64, not "65"/],
  ['DATABASE_POOL', '0', /whole number from 1 to 1000, not "0"/],
  ['DATABASE_POOL', 'x', /whole number from 1 to 1000, not "x"/],
  ['DATABASE_POOL', '1001', /whole number from 1 to 1000, not "1001"/],
  ['DATA_DIR', ' ', /must not be empty/],
  ['DATA_DIR', '/etc/hostname', /\/etc\/hostname is no folder/],
  ['LOG_LEVEL', 'loud', /must be one of debug, info/],
  ['METRICS_PORT', '70000', /from 0 to 65535/],
  ['METRICS_HOST', '', /must not be empty/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', /must be the http or https URL of a collector/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://:sesame@host:4318', /must be the http or https URL of a collector/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://host:4318/#a', /must be the http or https URL of a collector/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=a%0ab', /must be <name>=<value>,<name>=<value>/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key: value', /must be <name>=<value>,<name>=<value>/],
  ['OTEL_SERVICE_NAME', '', /must not be empty/],
  ['OTEL_TRACES_SAMPLER_ARG', '2', /must be a number from 0 to 1, not "2"/],
  ['TRUST_PROXY', 'on', /addresses of the proxies/],
  ['TRUST_PROXY', '10.0.0.0/64', /addresses of the proxies/],
  ['TRUST_PROXY', '0.0.0.0/0', /addresses of the proxies/],
  ['TRUST_PROXY', '127.0.0.1,::/0', /addresses of the proxies/],
  ['PUBLIC_URL', 'stoa.example.org', /http or https URL/],
  ['PUBLIC_URL', 'https://stoa.example.org ', /without spaces/],
  ['PUBLIC_URL', 'https://stoa.example.org/?a=b', /without a query/],
  ['PUBLIC_URL', 'https://ada:secret@stoa.example.org', /no password: everybody/],
  ['PUBLIC_URL', 'https://ada:secret@stoa.example.org/?a=b', /no password: everybody/],
  ['SMTP_URL', 'mail.example.org:587', /must be smtps:\/\/<user>/],
  ['SMTP_URL', 'smtps://ada:se%cret@mail.example.org', /^SMTP_URL must be smtps:[^%]*percent-encoded\.\n$/],
  ['SMTP_URL', 'smtp://mail.example.org?pool=true', /must be smtps:/],
  ['MAIL_TEMPLATES', '/there/is/no/such/folder', /must name a readable folder/],
  ['MAIL_FROM', 'Stoa', /must be an address like/],
  ['MAIL_FROM', 'a@example.org, b@example.org', /must be an address like/],
  ['CORS_ORIGINS', '*', /must name each origin/],
  ['CORS_ORIGINS', 'https://a.example, https://b.example/', /, not "https:\/\/b\.example\/"/],
  [
    'CORS_ORIGINS',
    'https://a.example, https://ada:secret@b.example',
    /without a user name and a password\.\n$/,
  ],
  ['BACKUP_EVERY', '90', /must be off, or a time from 1m to 365d, .*, not "90"/],
  ['BACKUP_EVERY', '366d', /must be off, or a time from 1m to 365d/],
  ['BACKUP_KEEP', '0', /whole number from 1 to 10000/],
  ['BACKUP_S3_BUCKET', 'My Bucket', /must be the name of a bucket .*, not "My Bucket"/],
  ['BACKUP_S3_ENDPOINT', 'http://s3.example.org', /must be https:\/\/<host> without a path, or http:/],
  ['BACKUP_S3_ENDPOINT', 'https://s3.example.org/vault', /must be https:\/\/<host> without a path/],
  ['BACKUP_S3_REGION', 'eu central', /must be the name of a region/],
  ['BACKUP_S3_ACCESS_KEY_ID', 'a b', /must be a key as the provider gave it/],
  ['BACKUP_S3_SECRET_ACCESS_KEY', 'a b', /must be a key as the provider gave it/],
  ['BACKUP_S3_SECRET_ACCESS_KEY_FILE', '/there/is/no/such/file', /must name a readable file/],
  ['CONTENT_READ', 'all', /must be one of public, members/],
  ['CONTENT_URL', 'https://example.org/posts', /must be an http or https URL with \{id\}/],
  ['CONTENT_URL', 'https://{id}.example.org/', /in its path or query/],
  ['CONTENT_URL', 'https://example.org/{id}/{titel}', /in its path or query/],
  ['CONTENT_URL', 'https://ada:secret@example.org/{id}', /no password: everybody/],
  ['CONTENT_URL', 'https://ada:secret@example.org/', /no password: everybody/],
  ['CONTENT_URL', 'https://example.org/posts/{id}', /can be set only with PUBLIC_URL/],
  ['USERS_LIST', 'nobody', /must be one of members, admins/],
  ['MFA_REQUIRED', 'members', /must be one of none, admins, all/],
  ['SEALING_KEY', '', /32 random bytes as base64url/],
  ['SEALING_KEY', ' '.repeat(32), /32 random bytes as base64url/],
  ['SEALING_KEY', 'A'.repeat(43), /must be random/],
  ['SEALING_KEY', SEALING_KEY.slice(1), /32 random bytes as base64url/],
  // The last character has two bits more than 32 bytes.
  ['SEALING_KEY', `${SEALING_KEY.slice(0, -1)}N`, /32 random bytes as base64url/],
  ['SEALING_KEY_FILE', '/there/is/no/such/file', /must name a readable file/],
  ['SEALING_KEY_FILE', '/etc/hostname', /names a file whose content must be 32 random bytes/],
  ['REGISTRATION', 'never', /must be one of open, invite, closed/],
  ['EMAIL_VERIFICATION', 'on', /must be one of off, required/],
  ['EMAIL_VERIFICATION', 'required', /can be required only with SMTP_URL: /],
  ['AUDIT_DAYS', '0', /whole number from 1 to 36500, not "0"/],
  ['DELETION_DAYS', '366', /whole number from 0 to 365, not "366"/],
  ['SESSION_LIMIT', '0', /whole number from 1 to 10000, not "0"/],
  ['WRITES_PER_HOUR', '-1', /whole number from 0 to 100000000, not "-1"/],
  ['WRITTEN_MB_PER_HOUR', '1GB', /whole number from 0 to 1000000, not "1GB"/],
  ['VERSIONS_KEEP', '0', /whole number from 1 to 10000, not "0"/],
  ['TRASH_DAYS', '3651', /whole number from 0 to 3650, not "3651"/],
  ['STORED_MB', '-1', /whole number from 0 to 100000000, not "-1"/],
  ['REGISTRATIONS_PER_HOUR', '-1', /whole number from 0 to 1000000, not "-1"/],
  ['REFUSED_REFRESHES_PER_HOUR', 'many', /whole number from 0 to 1000000, not "many"/],
  ['CONSOLE', 'yes', /must be one of on, off/],
  ['RENDER', 'yes', /must be one of on, off/],
  ['WEBHOOK_PRIVATE', 'yes', /must be one of off, on/],
  ['EVENTS_MOST', '0', /whole number from 1 to 15000, not "0"/],
  ['PASSWORD_BLOCKLIST', '/there/is/no/such/file', /must be builtin, or name a readable file/],
  ['PASSWORD_BLOCKLIST', '/dev/null', /must name a file with one password a line/],
];

/** What the reader of the settings writes; undefined where they are refused later, by what they name. */
function refusalOf(settings: Record<string, string>): string | undefined {
  try {
    return void readConfig(settings);
  } catch (error) {
    return `${explain(error)}\n`;
  }
}

/** What a start with these settings writes before it ends with code 1. */
async function refusalAtStart(settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await stoa(['serve'], { settings });
  assert.deepEqual([code, stdout], [1, '']);
  return stderr;
}

describe('A setting', { concurrency: 4 }, () => {
  for (const [index, [name, value, hint]] of WRONG.entries()) {
    it(`The setting ${name}=${JSON.stringify(value)} ends the start with code 1 and one line that names it`, async (t) => {
      const settings = { DATA_DIR: await temporaryFolder(t), PORT: '0', LOG_LEVEL: 'silent', [name]: value };
      // All that the reader refuses ends the start at the same place, so one start shows that for all of them.
      const refusal = index === 0 ? undefined : refusalOf(settings);
      const stderr = refusal ?? (await refusalAtStart(settings));
      assert.match(stderr, hint);
      assert.match(stderr, new RegExp(`^[^\\n]*\\b${name}\\b[^\\n]*\\n$`));
    });
  }

  it('The sample of settings names each setting once, and where it says so with its default', async () => {
    const sample = await readFile(new URL('../../.env.example', import.meta.url), 'utf8');
    const [, defaults = '', others = ''] = sample.replaceAll(/^# (?=\w+=)/gm, '').split('\n\n');
    const names = [...`${defaults}\n${others}`.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    assert.deepEqual(names.toSorted(), [...knownSettings()].toSorted());
    assert.match(defaults, /^# The values of these are the defaults\.$/m);
    assert.deepEqual(readConfig(parseEnv(defaults)), readConfig({}));
  });

  it('SMTP_URL without its sender and PUBLIC_URL ends the start, and its password is not shown', () => {
    assert.match(
      refusalOf({ SMTP_URL: 'smtps://ada:secret@mail.example.org' }) ?? '',
      /^PUBLIC_URL must be set with SMTP_URL: .*\nMAIL_FROM must be an address like Stoa <stoa@example\.org>, not ""\.\n$/,
    );
  });

  it('A bucket without its server and key ends the start, and its secret key may be in a file', async (t) => {
    const file = join(await temporaryFolder(t), 'secret');
    await writeFile(file, 'se/cret+\n');
    const set = {
      BACKUP_S3_ENDPOINT: 'http://minio:9000/?tls=off',
      BACKUP_S3_BUCKET: 'vault',
      BACKUP_S3_ACCESS_KEY_ID: 'id',
      BACKUP_S3_SECRET_ACCESS_KEY_FILE: file,
    };
    const { endpoint, secretAccessKey } = readConfig(set).backupBucket ?? {};
    assert.deepEqual([endpoint, secretAccessKey], ['http://minio:9000', 'se/cret+']);
    assert.equal(readConfig({ ...set, BACKUP_S3_BUCKET: '' }).backupBucket, undefined);
    assert.equal(
      refusalOf({ BACKUP_S3_BUCKET: 'vault' }),
      ['ENDPOINT', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']
        .map((name) => `BACKUP_S3_${name} must be set with BACKUP_S3_BUCKET.\n`)
        .join(''),
    );
  });

  it('A wrong setting never hides another: each has its own line', () => {
    const settings = { PORT: '-1', LOG_LEVEL: 'loud', SEALING_KEY: 'short', PUBLIC_URL: 'nowhere' };
    const stderr = refusalOf(settings) ?? '';
    const named = stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    assert.deepEqual(named.toSorted(), ['LOG_LEVEL', 'PORT', 'PUBLIC_URL', 'SEALING_KEY']);
    assert.doesNotMatch(stderr, /short/, 'a secret is not repeated, not even a refused one');
  });

  it('A setting in the file .env is used, and the environment overrides it', async (t) => {
    const cwd = await temporaryFolder(t);
    await writeFile(join(cwd, '.env'), 'LOG_LEVEL=loud\nPORT=x\n');
    const settings = { DATA_DIR: cwd, PORT: '0' };
    const { code, stderr } = await stoa(['serve'], { settings, cwd });
    assert.equal(code, 1);
    assert.match(stderr, /^LOG_LEVEL [^\n]*\n$/);
  });

  it('A PORT in use by another process ends the start with one line', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const settings = { ...(await sqlite.settings(t)), PORT: String(port), LOG_LEVEL: 'silent' };
    const { code, stdout, stderr } = await stoa(['serve'], { settings });
    const line = `Port ${port} (PORT) is in use by another process; choose another.\n`;
    assert.deepEqual([code, stdout, stderr], [1, '', line]);
  });

  it('A PORT that this user may not open ends the start with one line', async (t) => {
    const settings = { ...(await sqlite.settings(t)), PORT: '80' };
    const { code, stderr } = await stoaUnprivileged(['serve'], { settings });
    const line = 'Port 80 (PORT) may not be opened by this user; choose one from 1024 on.\n';
    assert.deepEqual([code, stderr], [1, line]);
  });

  // Each has a character that ends a part of a URL, or begins a code that is none.
  const PASSWORDS = ['s3cr#et', 's3cr/et', '33/s3cret', '33?s3cret', 's3cr%e4et', 's3cr et'];
  for (const password of PASSWORDS) {
    it(`A DATABASE_URL with the password ${password} gets a line about encoding that does not show it`, () => {
      const settings = { DATABASE_URL: `postgres://ada:${password}@127.0.0.1:1/stoa` };
      const stderr = refusalOf(settings) ?? '';
      assert.match(stderr, /^DATABASE_URL must be postgres:[^\n]*percent-encoded \(# is %23[^\n]*\n$/);
      assert.doesNotMatch(stderr, /s3cr|33/);
    });
  }

  it('A DATABASE_URL takes a password with percent-encoded special characters', async () => {
    const database = new URL(await newPostgresDatabase());
    const role = `role_${database.pathname.slice(-8)}`;
    await execute(database.href, `create role ${role} login superuser password '#a/b?c@d%e f:g'`);
    const login = `${role}:%23a%2Fb%3Fc%40d%25e%20f%3Ag`;
    const settings = { DATABASE_URL: `postgres://${login}@${database.host}${database.pathname}` };
    const { code, stderr } = await commandHere(settings, migrateDatabase);
    await execute(database.href, `reassign owned by ${role} to postgres; drop role ${role}`);
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('LOG_LEVEL=silent leaves standard output empty', async (t) => {
    const settings = { ...(await sqlite.settings(t)), LOG_LEVEL: 'silent', PORT: '0' };
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...settings },
    });
    t.after(() => child.kill('SIGKILL'));
    const [stdout, exited] = [text(child.stdout), once(child, 'exit')];
    let stderr = '';
    for await (const chunk of child.stderr) {
      stderr += chunk;
      const url = /listening {2}(\S+)\n/.exec(stderr)?.[1];
      if (!url || child.killed) continue;
      await newAccount(url);
      assert.equal((await call(url, 'POST', '/api/auth/login', { body: '{' })).status, 400);
      child.kill('SIGTERM');
    }
    assert.deepEqual([await exited, await stdout], [[0, null], '']);
  });

  it('A file .env that cannot be read ends the start with one line', async (t) => {
    const [closed, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
    await writeFile(join(closed, '.env'), 'PORT=0\n', { mode: 0o000 });
    await mkdir(join(folder, '.env'));
    for (const cwd of [closed, folder]) {
      const { code, stdout, stderr } = await stoaUnprivileged(['serve'], { settings: { PORT: '0' }, cwd });
      assert.deepEqual([code, stdout], [1, '']);
      const line = `The file ${join(cwd, '.env')} must be readable, or not be there (E`;
      assert.ok(stderr.startsWith(line) && stderr.split('\n').length === 2, stderr);
    }
  });

  it('A database file that is no database ends the start with one line', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'stoa.db'), 'This is a letter, not a database.'.repeat(100));
    const silent = pino({ level: 'silent' });
    const { code, stderr } = await commandHere({ DATA_DIR: folder }, (config) =>
      openServerStore(config, silent),
    );
    assert.equal(code, 1);
    assert.match(stderr, /^The database file is damaged \(file is not a database\): [^\n]*\n$/);
  });
});

describe('Secrets of the service', { concurrency: true }, () => {
  it('Secrets are stored in a folder of mode 0700, in files of mode 0600', async (t) => {
    const parent = await temporaryFolder(t);
    await mkdir(join(parent, 'home'));
    const folder = join(parent, 'home', 'data');
    const { url } = await startProcess(t, { DATA_DIR: folder });
    await newAccount(url);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const files = await readdir(folder);
    assert.ok(files.includes('stoa.db-wal'), files.join());
    for (const file of files) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
  });

  it('Secrets are on neither output of the service at log level debug', async (t) => {
    const settings = { ...(await sqlite.settings(t)), LOG_LEVEL: 'debug', SEALING_KEY };
    const service = await startProcess(t, settings);
    const { url } = service;
    const { username, token, refreshToken } = await newAccount(url);
    const attempts = [
      call(url, 'POST', '/api/auth/login', { body: { username, password: `${PASSWORD}!` } }),
      call(url, 'POST', '/api/auth/register', { body: { username, email: 'x', password: PASSWORD } }),
      call(url, 'POST', '/api/auth/login', { body: `{"password":"${PASSWORD}"` }),
      call(url, 'POST', '/api/auth/refresh', { token: refreshToken }),
      call(url, 'GET', '/api/users/me', { token: `${token}x` }),
      call(url, 'GET', `/api/users?keyword=${token}`, { token }),
    ];
    const answers = await Promise.all(attempts);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 400, 400, 200, 401, 400],
    );
    assert.equal(await service.stop('SIGTERM'), 0);
    const written = service.stdout() + service.stderr();
    assert.match(written, /"msg":"stopped"/);
    for (const each of [SEALING_KEY, PASSWORD, token, refreshToken, '$argon2', '"d":"']) {
      assert.ok(!written.includes(each), `found ${each}`);
    }
  });
});

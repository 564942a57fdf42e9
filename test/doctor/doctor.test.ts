// Needs: processes.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, open, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { diagnose, doctor } from '../../src/cli/doctor.ts';
import { readConfig } from '../../src/config.ts';
import { checkDisk } from '../../src/doctor/files.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { backUpHere } from '../support/backup.ts';
import { newAccount } from '../support/client.ts';
import { freePort } from '../support/cluster.ts';
import { stoa, stoaUnprivileged } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { oldDatabase } from '../support/earlier-version.ts';
import { emptySettings, onEveryEngine, sqlite, temporaryFolder } from '../support/engines.ts';
import { startMailServer } from '../support/mail-server.ts';
import { execOn } from '../support/place.ts';
import { startHere } from '../support/service.ts';

const BUCKET = {
  BACKUP_S3_ENDPOINT: 'https://s3.example.org',
  BACKUP_S3_BUCKET: 'vault',
  BACKUP_S3_ACCESS_KEY_ID: 'id',
  BACKUP_S3_SECRET_ACCESS_KEY: 'secret',
};

type Settings = Record<string, string>;

/** What is wrong, as `check: sentence`. */
async function wrongWith(settings: Settings): Promise<string[]> {
  return wrongOf(await diagnose(() => readConfig(settings)));
}

function wrongOf(findings: Awaited<ReturnType<typeof diagnose>>): string[] {
  return findings.flatMap(({ check, state, says }) => (state === 'wrong' ? [`${check}: ${says}`] : []));
}

/** The first page of a table in the file of a database. */
function pageOf(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(row?.rootpage);
}

onEveryEngine('stoa doctor', (engine) => {
  it('Each fault of the data is found, and nothing is wrong before and after it', async (t) => {
    const settings = await engine.settings(t);
    const folder = { DATA_DIR: await temporaryFolder(t), ...settings };
    const service = await startHere(t, folder);
    const { port } = new URL(service.url);
    const here = { ...folder, PORT: port };
    await newAccount(service.url);
    assert.deepEqual(await wrongWith(here), []);

    const faults: [from: RegExp, settings: Settings, begin: string, end: string][] = [
      [/^totals: Of users there are 1 rows/, {}, 'DELETE', 'INSERT'],
      [
        /^backups: The last backup failed \(no room\)/,
        { BACKUP_EVERY: '1d' },
        "UPDATE backup_state SET failed_at = 1, problem = 'no room'",
        'UPDATE backup_state SET failed_at = NULL, problem = NULL',
      ],
      [
        /^backups: The newest proved backup is of 1970-01-01.* too old/,
        { BACKUP_EVERY: '1d' },
        'UPDATE backup_state SET made_at = 1',
        'UPDATE backup_state SET made_at = NULL',
      ],
      [
        /^bucket: The newest backup is proved but could not be sent \(no room\)/,
        BUCKET,
        "UPDATE backup_sending SET failed_at = 1, problem = 'no room'",
        'UPDATE backup_sending SET failed_at = NULL, problem = NULL',
      ],
      [
        /^clock: The newest event of the trail is of 2100-/,
        {},
        'UPDATE audit_events SET at = at + 4102444800000 - at WHERE id = (SELECT max(id) FROM audit_events)',
        'UPDATE audit_events SET at = 1',
      ],
      [
        /^schema: The database .* is of another version of Stoa/,
        {},
        "INSERT INTO migrations (name, checksum) VALUES ('9999_later', '')",
        "DELETE FROM migrations WHERE name = '9999_later'",
      ],
    ];
    const total = engine.name === 'SQLite' ? 'users_total' : 'users_bucket_sums_total';
    for (const [says, given, begin, end] of faults) {
      const add = (n: number) => `UPDATE ${total} SET rows = rows + ${n}`;
      await execOn(here, begin === 'DELETE' ? add(1) : begin);
      const [found, ...more] = await wrongWith({ ...here, ...given });
      assert.match(found ?? '', says);
      assert.deepEqual(more, []);
      await execOn(here, end === 'INSERT' ? add(-1) : end);
      assert.deepEqual(await wrongWith({ ...here, ...given }), []);
    }

    const otherKey = { ...here, SEALING_KEY: randomBytes(32).toString('base64url') };
    assert.match(
      (await wrongWith(otherKey)).join(),
      /^sealing key: The sealing key of this database is not in /,
    );
    await writeFile(join(folder.DATA_DIR, 'sealing.key'), 'half a key');
    const { SEALING_KEY: _, ...keyInFile }: Settings = here;
    const [found = '', ...more] = await wrongWith(keyInFile);
    assert.match(
      found,
      /^sealing key: The file \S+ must be 32 .* needs the key that it had \(.*your backup of keys/,
    );
    assert.deepEqual(more, []);
  });

  it('Without BACKUP_EVERY a failed backup is wrong too, and else the newest one is told with the time of its proof', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await engine.settings(t)) };
    const ofBackups = async () => {
      const findings = await diagnose(() => readConfig(settings));
      return findings
        .filter(({ check }) => check === 'backups')
        .map(({ state, says }) => `${state}: ${says}`);
    };
    assert.match(
      (await ofBackups()).join(),
      /^advice: Nothing is backed up by itself; .* yourself\. The service has made no backup yet\.$/,
    );
    await execOn(
      settings,
      "UPDATE backup_state SET file = '/backups/new.zst', made_at = 1000, proved_at = 2000",
    );
    const newest =
      'The newest proved backup is of 1970-01-01T00:00:01.000Z (/backups/new.zst, proved at 1970-01-01T00:00:02.000Z).';
    assert.ok((await ofBackups()).join().endsWith(` yourself. ${newest}`));
    await execOn(settings, "UPDATE backup_state SET failed_at = 3000, problem = 'no room'");
    assert.deepEqual(await ofBackups(), [
      `wrong: The last backup failed (no room); correct that, and make one again. ${newest}`,
    ]);
  });

  it('A bucket that has an older backup than the newest one is named', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await engine.settings(t)), ...BUCKET };
    const ofBucket = async () => {
      const findings = await diagnose(() => readConfig(settings));
      return findings.filter(({ check }) => check === 'bucket').map(({ state, says }) => `${state}: ${says}`);
    };
    await execOn(settings, "UPDATE backup_state SET file = '/backups/new.zst', made_at = 1");
    await execOn(
      settings,
      "UPDATE backup_sending SET file = 'old.zst', sent_at = 1, bucket = 'https://s3.example.org/vault'",
    );
    assert.match((await ofBucket()).join(), /^advice: The newest backup is not in vault yet/);
    await execOn(settings, 'UPDATE backup_state SET proved_at = 1');
    assert.match(
      (await ofBucket()).join(),
      /^wrong: The newest backup \(\/backups\/new\.zst\) is not in vault after/,
    );
    await execOn(settings, "UPDATE backup_sending SET file = 'new.zst'");
    assert.match((await ofBucket()).join(), /^ok: vault got new\.zst/);
    await execOn(settings, "UPDATE backup_sending SET bucket = 'https://s3.example.org/other'");
    assert.match((await ofBucket()).join(), /^advice: No backup was sent to vault yet/);
  });

  it('A damaged file and an index that the server does not use are found', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await engine.settings(t)) };
    assert.deepEqual(await wrongWith(settings), []);
    if (engine.name === 'SQLite') {
      const path = join(String(settings.DATA_DIR), 'stoa.db');
      const page = pageOf(path, 'event_tickets');
      const file = await open(path, 'r+');
      await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
      await file.close();
    } else
      await execOn(
        settings,
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_pkey'::regclass",
      );
    const says = /^integrity: (The database file is damaged|PostgreSQL does not use the index users_pkey)/;
    assert.match((await wrongWith(settings)).join(), says);
  });

  it('An index that lacks a row of its table is found; on PostgreSQL only with the extension amcheck', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await engine.settings(t)) };
    const insert = `INSERT INTO webhooks (url, events, description, created_at) VALUES ('https://example.com/', '[]', '', 1);
      INSERT INTO webhook_secrets (id, webhook_id, secret_sealed) SELECT 'a', id, 'x' FROM webhooks;`;
    const index = 'webhook_secrets_webhook';
    if (engine.name === 'SQLite') {
      const file = new DatabaseSync(join(String(settings.DATA_DIR), 'stoa.db'));
      file.enableDefensive(false);
      const columns = 'type, name, tbl_name, rootpage, sql';
      const write = (statement: string) =>
        file.exec(`PRAGMA writable_schema = ON; ${statement}; PRAGMA writable_schema = RESET`);
      file.exec(`CREATE TEMP TABLE kept AS SELECT ${columns} FROM sqlite_schema WHERE name = '${index}'`);
      write(`DELETE FROM main.sqlite_schema WHERE name = '${index}'`);
      file.exec(insert);
      write(`INSERT INTO main.sqlite_schema (${columns}) SELECT ${columns} FROM kept`);
      file.close();
    } else {
      const set = (is: boolean) =>
        `UPDATE pg_index SET indisready = ${is}, indisvalid = ${is} WHERE indexrelid = '${index}'::regclass`;
      await execOn(settings, set(false));
      await execOn(settings, insert);
      await execOn(settings, set(true));
      const { says = '' } =
        (await diagnose(() => readConfig(settings))).find(({ check }) => check === 'integrity') ?? {};
      assert.match(says, /^All indexes are valid\. .*CREATE EXTENSION amcheck/);
      await execOn(settings, 'CREATE EXTENSION amcheck');
    }
    const [found = '', ...more] = await wrongWith(settings);
    assert.match(
      found,
      /^integrity: The index webhook_secrets_webhook does not agree with its table \(.*\); .*REINDEX/,
    );
    assert.deepEqual(more, []);
    await execOn(settings, `REINDEX ${engine.name === 'SQLite' ? '' : 'INDEX '}${index}`);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('A delivery that is old is advice while its retries go on by plan, and wrong when none was made', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await engine.settings(t)) };
    const now = Date.now();
    const inserted = `
      INSERT INTO webhooks (url, events, description, created_at)
      VALUES ('https://example.com/hook', '["*"]', '', 1);
      INSERT INTO webhook_deliveries (webhook_id, message_id, event, subject, payload, made_at, status, attempts, next_attempt_at)
      SELECT id, 'first', 'content.created', 'a', '{}', ${now - 3 * HOUR_MS}, 'waiting', 5, ${now + HOUR_MS} FROM webhooks;
      INSERT INTO webhook_deliveries (webhook_id, message_id, event, subject, payload, made_at, status, attempts, next_attempt_at)
      SELECT id, 'behind it', 'content.created', 'a', '{}', ${now - 3 * HOUR_MS}, 'waiting', 0, ${now - 3 * HOUR_MS} FROM webhooks`;
    const found = async () => {
      const findings = await diagnose(() => readConfig(settings));
      return findings
        .filter(({ check }) => check === 'webhooks')
        .map(({ state, says }) => `${state}: ${says}`);
    };
    await execOn(settings, inserted);
    assert.match((await found()).join(), /^advice: 2 deliveries wait, .*; they are tried again by plan; /);
    const late = `UPDATE webhook_deliveries SET next_attempt_at = ${now - 2 * HOUR_MS}`;
    await execOn(settings, late);
    assert.match((await found()).join(), /^wrong: 2 deliveries wait, .*; start the service, /);
    await execOn(settings, `UPDATE webhooks SET not_before = ${now + HOUR_MS}`);
    assert.match((await found()).join(), /^advice: /);
  });

  it('A mail that is old is advice while its retries go on by plan, and wrong when none was made', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await engine.settings(t)) };
    const now = Date.now();
    const times = `${now - 3 * HOUR_MS}, 5, ${now + HOUR_MS}, ${now + 21 * HOUR_MS}`;
    await execOn(
      settings,
      `INSERT INTO mails (id, recipient, template, template_values, made_at, attempts, next_attempt_at, give_up_at)
       VALUES ('a', 'a@example.org', 'password_changed', '{}', ${times})`,
    );
    const found = async () => {
      const findings = await diagnose(() => readConfig(settings));
      return findings.filter(({ check }) => check === 'outbox').map(({ state, says }) => `${state}: ${says}`);
    };
    assert.match((await found()).join(), /^advice: 1 mails wait, .*; they are tried again by plan; /);
    await execOn(settings, `UPDATE mails SET next_attempt_at = ${now - 2 * HOUR_MS}`);
    assert.match((await found()).join(), /^wrong: 1 mails wait, .*; start the service with SMTP_URL, /);
  });

  it('A database of an older version is to be backed up by that version, because this one refuses to', async (t) => {
    const settings = { PORT: await closedPort(), ...(await oldDatabase(t, engine)) };
    const says =
      /^(schema: )?The (\w+ )?database \S+ has the schema of an older version; run "npm run stoa -- backup" of the version that made it, and then "npm run stoa -- migrate" of this one\.$/;
    const file = join(await temporaryFolder(t), 'made.zst');
    await assert.rejects(backUpHere(settings, file), { message: says });
    if (engine.name === 'SQLite') {
      const { code, stderr } = await stoa(['backup', '-'], { settings });
      const [progress, refusal = '', ...more] = stderr.split('\n');
      assert.deepEqual([code, progress, more], [1, 'taking the snapshot', ['']]);
      assert.match(refusal, says);
    }
    const found = (await wrongWith(settings)).filter((each) => each.startsWith('schema: '));
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', says);
  });

  it('A database without tables is said to be empty, and gets none', async (t) => {
    const settings: Settings = { PORT: await closedPort(), ...(await emptySettings(t, engine)) };
    const says =
      /^(schema: The database .* is empty|database: There is no database of Stoa at .*; start the service once )/;
    for (const _ of [1, 2]) assert.match((await wrongWith(settings)).join(), says);
    if (engine.name !== 'SQLite') return;
    await writeFile(join(String(settings.DATA_DIR), 'stoa.db'), 'no database'.repeat(1000), { mode: 0o600 });
    assert.match(
      (await wrongWith(settings)).join(),
      /^database: The SQLite database \S+ cannot be used: file is not a database\. See "Something is wrong" in docs/,
    );
  });
});

describe('stoa doctor, beside the database', { concurrency: true }, () => {
  it('A database server that is away is found', async () => {
    const DATABASE_URL = `postgres://127.0.0.1:${await closedPort()}/stoa`;
    const settings = {
      DATABASE_URL,
      SEALING_KEY: randomBytes(32).toString('base64url'),
      PORT: await closedPort(),
    };
    assert.match(
      (await wrongWith(settings)).join(),
      /^database: The database .* cannot be used: .*ECONNREFUSED.*\. See "Something is wrong" in docs/,
    );
  });

  it('A database server that takes connections and says nothing is found', async (t) => {
    const silent = createTcpServer((socket) => t.after(() => socket.destroy())).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const settings = {
      DATABASE_URL: `postgres://127.0.0.1:${port}/stoa`,
      SEALING_KEY: randomBytes(32).toString('base64url'),
      PORT: await closedPort(),
    };
    assert.match((await wrongWith(settings)).join(), /^database: The database .* cannot be used: .*timeout/);
  });

  it('Open files are found', async (t) => {
    const settings: Settings = { ...(await sqlite.settings(t)), PORT: await closedPort() };
    assert.deepEqual(await wrongWith(settings), []);
    for (const name of ['stoa.db-lock', 'stoa.db']) {
      const file = join(settings.DATA_DIR ?? '', name);
      await appendFile(file, '');
      await chmod(file, 0o644);
      const findings = await diagnose(() => readConfig(settings));
      assert.deepEqual(wrongOf(findings), [
        `rights: ${file} is open to other users (mode 0644); run "chmod 0600 ${file}" or "npm run stoa -- doctor --repair".`,
      ]);
      const rights = findings.filter(({ check }) => check === 'rights').map(({ state }) => state);
      assert.deepEqual(rights, ['wrong'], 'and no line says that all are closed');
      await chmod(file, 0o600);
    }
  });

  it('A folder that cannot be read, or is a file, is a finding beside all others, and no repair', async (t) => {
    const BACKUP_DIR = join(await temporaryFolder(t), 'elsewhere');
    const settings = { ...(await sqlite.settings(t)), PORT: await closedPort(), BACKUP_DIR };
    await mkdir(BACKUP_DIR, { mode: 0 });
    const { code, stdout, stderr } = await stoaUnprivileged(['doctor', '--repair'], { settings });
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(
      stdout,
      /^REFUSED A file or folder of the service cannot be used \(EACCES: .*elsewhere'\); run this as the user of /,
    );
    assert.equal(
      stdout.match(/^WRONG {3}rights: A file or folder of the service cannot be used/gm)?.length,
      1,
    );
    assert.match(stdout, /^ok {6}sealing key: /m);
    await rmdir(BACKUP_DIR);
    await writeFile(BACKUP_DIR, '');
    const isFile =
      /^rights: A file is where a folder of the service should be \(ENOTDIR: .*; set DATA_DIR or BACKUP_DIR/;
    const [found = '', ...more] = await wrongWith(settings);
    assert.match(found, isFile);
    assert.deepEqual(more, []);
    assert.match((await wrongWith({ DATA_DIR: BACKUP_DIR, PORT: settings.PORT })).join('\n'), isFile);
  });

  it('Files of the operator with secrets that all users can read are advice', async (t) => {
    const file = join(await temporaryFolder(t), 'sealing-key');
    await writeFile(file, randomBytes(32).toString('base64url'));
    const settings: Settings = {
      DATA_DIR: await temporaryFolder(t),
      PORT: await closedPort(),
      SEALING_KEY_FILE: file,
    };
    const rights = async () => {
      const findings = await diagnose(() => readConfig(settings));
      return findings.filter(({ check, says }) => check === 'rights' && says.startsWith(file));
    };
    for (const [mode, isOpen] of [
      [0o644, true],
      [0o640, false],
      [0o600, false],
    ] as const) {
      await chmod(file, mode);
      assert.deepEqual(
        (await rights()).map(({ state, says }) => `${state}: ${says}`),
        isOpen
          ? [`advice: ${file} has secrets and is open to all users (mode 0644); run "chmod o= ${file}".`]
          : [],
      );
    }
  });

  it('An .env that all users can read is advice', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, '.env'), 'LOG_LEVEL=info\n');
    await chmod(join(folder, '.env'), 0o644);
    const { stdout } = await stoa(['doctor'], {
      settings: { DATA_DIR: folder, PORT: await closedPort() },
      cwd: folder,
    });
    assert.match(stdout, /^advice {2}rights: \S+\.env has secrets and is open to all users \(mode 0644\)/m);
  });

  it('A disk with little room is found, from the same bound on as in the log', () => {
    const disk = { blocks: 1_000, bsize: 4096 };
    assert.equal(checkDisk('/data', { ...disk, bavail: 100 }).state, 'ok');
    assert.equal(checkDisk('/data', { ...disk, bavail: 99 }).state, 'wrong');
  });

  it('A mail server that is away, and a service that is not ready, are found', async (t) => {
    const mail = await startMailServer(t);
    let status = 200;
    const server = createServer((_, response) => response.writeHead(status).end('storage_full')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    t.after(() => server.close());
    const port = String((server.address() as AddressInfo).port);
    const settings = { ...(await sqlite.settings(t)), ...mail.settings, PORT: port };
    assert.deepEqual(await wrongWith(settings), []);
    await mail.stop();
    status = 503;
    const [first, second, ...more] = await wrongWith(settings);
    assert.match(first ?? '', /^mail: The mail server \S+ cannot be used \(.*ECONNREFUSED/);
    assert.match(second ?? '', /^service: The service at \S+ is not ready \(503: storage_full\)/);
    assert.deepEqual(more, []);
  });

  it('The checklist of going public is advice, and wrong settings are findings', async (t) => {
    const settings = { ...(await sqlite.settings(t)), PORT: await closedPort() };
    const advice = async (given: Settings) =>
      (await diagnose(() => readConfig({ ...settings, ...given })))
        .filter(({ check, state }) => check === 'going public' && state === 'advice')
        .map(({ says }) => /[A-Z_]{4,}/.exec(says)?.[0]);
    assert.deepEqual(await advice({}), []);
    assert.deepEqual(await advice({ PUBLIC_URL: 'http://[::1]:8080' }), []);
    assert.deepEqual(await advice({ HOST: '0.0.0.0' }), ['HOST']);
    assert.deepEqual(await advice({ PUBLIC_URL: 'http://stoa.example' }), [
      'PUBLIC_URL',
      'TRUST_PROXY',
      'USERS_LIST',
      'EMAIL_VERIFICATION',
      'PASSWORD_BLOCKLIST',
      'SMTP_URL',
      'MFA_REQUIRED',
    ]);
    const followed = {
      PUBLIC_URL: 'https://stoa.example',
      TRUST_PROXY: '127.0.0.1',
      USERS_LIST: 'admins',
      SMTP_URL: 'log',
      MFA_REQUIRED: 'admins',
    };
    for (const each of [{ EMAIL_VERIFICATION: 'required' }, { REGISTRATION: 'invite' }])
      assert.deepEqual(await advice({ ...followed, ...each }), ['PASSWORD_BLOCKLIST']);
    assert.deepEqual(
      await wrongWith({ ...settings, BACKUP_KEEP: '0', TRASH_DAYS: 'x' }).then((all) => all.length),
      2,
    );
  });

  it('`stoa doctor` ends with exit code 1 where something is wrong, and else with 0', async (t) => {
    const settings = { ...(await sqlite.settings(t)), PORT: await closedPort() };
    const well = await stoa(['doctor', '--json'], { settings });
    assert.deepEqual([well.code, well.stderr], [0, '']);
    const states = well.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).state);
    assert.deepEqual([...new Set(states)].sort(), ['advice', 'ok']);
    const load = () => readConfig({ ...settings, PORT: 'x' });
    const ill = await commandHere(settings, async () => {
      process.exitCode = await doctor(load, { asJson: false, repairs: false });
    });
    assert.deepEqual([ill.code, ill.stderr], [1, '']);
    assert.match(ill.stdout, /^WRONG {3}settings: PORT /);
  });
});

/** A port that nobody listens on, and that no server without a port of its own gets meanwhile. */
const closedPort = async () => String(await freePort());

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { withoutPaths } from '../../src/domain/without-paths.ts';
import { newKeyText } from '../../src/services/sealing/key.ts';
import { checkProcess } from '../../src/system/checks.ts';
import { POINTS, Rates, type Sample, STEP_MS } from '../../src/system/rates.ts';
import { shownSettings } from '../../src/system/settings.ts';
import { call } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { untilThere } from '../support/until.ts';

/** Settings that nobody reads over HTTP, and why. */
const NOT_SHOWN = {
  DATA_DIR: 'a path',
  BACKUP_DIR: 'a path',
  MAIL_TEMPLATES: 'a path',
  DATABASE_POOL: 'a figure of the server',
  DATABASE_DIRECT_URL: 'an address with a password',
  BACKUP_S3_ACCESS_KEY_ID: 'a name of a secret',
  BACKUP_S3_SECRET_ACCESS_KEY: 'a secret',
  OTEL_EXPORTER_OTLP_HEADERS: 'a secret',
  SEALING_KEY: 'a secret',
  SEALING_KEY_FILE: 'a path',
};
const SECRETS = {
  SMTP_URL: 'smtp://robot:sesame-mail@127.0.0.1:1',
  MAIL_FROM: 'stoa@example.org',
  PUBLIC_URL: 'https://stoa.example',
  SEALING_KEY: newKeyText(),
};
/** All work in the background, with the seconds from one run to the next, but for what depends on the engine. */
const JOBS = {
  'backing up': 1,
  'checking listeners': 0,
  'counting labels': 0.25,
  'emptying the trash': 60,
  'freeing names that were given up': 60,
  'indexing content': 1,
  'keeping streams open': 15,
  'keeping the last use of tokens': 60,
  'naming items': 60,
  'publishing drafts': 0.5,
  'reading the signing keys': 0.9,
  'removing closed accounts': 60,
  'removing expired rows': 60,
  'removing old changes': 60,
  'removing old signing keys': 60,
  'removing old versions': 60,
  'renaming labels': 0.5,
  'sampling rates': 10,
  'sending mail': 1,
  'sending webhooks': 0.5,
  'telling listeners': 0,
  'tidying the index of words': 0.3,
  'watching the storage': 1,
};

onEveryEngine('The system over HTTP', (engine) => {
  it('An admin reads how the service is, and no secret and no path is in the answer', async (t) => {
    const service = await startService(t, engine, SECRETS);
    const { token } = await newWithRole(service, 'admin');
    const system = await untilThere(async () => {
      const { body } = await call(service.url, 'GET', '/api/system', { token });
      const isRead = body.data.sizes.database_bytes > 0 && body.data.waiting.mails === 0;
      return isRead ? body.data : undefined;
    }, 'the figures are read');
    assert.equal(system.engine, engine.name === 'SQLite' ? 'sqlite' : 'postgres');
    const states = Object.fromEntries(system.checks.map(({ check, state }: never) => [check, state]));
    assert.equal(states.database, 'ok');
    assert.equal(states.clock, 'ok');
    assert.equal(states.backups, 'advice');
    assert.ok(system.going_public.length > 1);
    const jobs = system.jobs.map(({ name, every_seconds }: never) => [name, every_seconds]);
    assert.deepEqual(Object.fromEntries(jobs), {
      ...JOBS,
      'numbering changes': engine.name === 'SQLite' ? 60 : 1,
    });
    const [{ memory_bytes, ...worker }, ...others] = system.workers;
    const alone = { number: 1, serving: true, restarts: 0, started_at: system.started_at };
    assert.deepEqual([worker, others], [alone, []]);
    assert.ok(memory_bytes > 10_000_000, `${memory_bytes} bytes`);
    assert.deepEqual(system.backups, { keep: 14, doing: 'nothing' });
    assert.equal(valueIn(system, 'SMTP_URL'), '127.0.0.1:1');
    assert.match(valueIn(system, 'DATABASE_URL'), /^sqlite$|^postgres:\/\/[^@]+$/);
    const text = JSON.stringify(system);
    for (const secret of ['sesame', 'robot', SECRETS.SEALING_KEY, '/tmp/', process.cwd()])
      assert.ok(!text.includes(secret), secret);
  });
});

it('A job whose last run failed is wrong and is named, and so is an outbox or a storage without room', () => {
  const job = { every: 1, runs: 1, failures: 1, lastSuccess: undefined };
  const jobs = [
    { ...job, name: 'works again', isFailing: false },
    { ...job, name: 'fails now', isFailing: true },
  ];
  const found = (...[readings, states, outbox]: Parameters<typeof checkProcess>) =>
    checkProcess(readings, states, outbox).map(({ check, state }) => [check, state]);
  const [, failing] = checkProcess([], jobs, undefined);
  assert.equal(failing?.says, 'The last run of fails now failed; see the log.');
  const ok = [
    ['database', 'ok'],
    ['jobs', 'ok'],
  ];
  assert.deepEqual(found([], jobs, undefined), [
    ['database', 'ok'],
    ['jobs', 'wrong'],
  ]);
  assert.deepEqual(found([], jobs.slice(0, 1), undefined), ok);
  assert.deepEqual(found([], [], 'ok'), [...ok, ['mail', 'ok']]);
  for (const outbox of ['accounts_only', 'full'] as const)
    assert.deepEqual(found([], [], outbox), [...ok, ['mail', 'wrong']], outbox);
  for (const [name, value, state] of [
    ['stoa_database_up', 0, 'wrong'],
    ['stoa_database_up', 1, 'ok'],
    ['stoa_database_read_only', 1, 'wrong'],
    ['stoa_database_full', 1, 'wrong'],
    ['stoa_database_full', 0, 'ok'],
  ] as const)
    assert.deepEqual(found([{ name, value }], [], undefined)[0], ['database', state], `${name} ${value}`);
});

it('Every setting is shown to admins, or is named with the reason why it is not', () => {
  const source = readFileSync(new URL('../../src/config.ts', import.meta.url), 'utf8');
  const read = [...source.matchAll(/setting\('([A-Z0-9_]+)'/g)].map(([, name]) => name);
  const shown = shownSettings(readConfig({}), 'sqlite').map(({ name }) => name);
  const known = [...shown, ...Object.keys(NOT_SHOWN).filter((name) => !name.startsWith('SEALING'))];
  assert.deepEqual([...new Set(read)].sort(), known.sort());
});

it('A shown setting reads as it is set', () => {
  const set = {
    BACKUP_EVERY: '90m',
    TRUST_PROXY: '10.0.0.1,10.0.0.2',
    RENDER: 'off',
    MFA_REQUIRED: 'admins',
  };
  const shown = shownSettings(readConfig(set), 'sqlite');
  for (const [name, value] of Object.entries(set))
    assert.equal(shown.find((each) => each.name === name)?.value, value);
});

it('The rates have one point for each step, forget the oldest, and count nothing twice', () => {
  let sample: Sample = { requests: 5, server_errors: 0, passwords: 0, worked: 0, memory_bytes: 1 };
  const rates = new Rates(() => sample);
  rates.add(0);
  assert.deepEqual(rates.series.requests, []);
  sample = { requests: 12, server_errors: 1, passwords: 2, worked: STEP_MS / 4, memory_bytes: 9 };
  rates.add(STEP_MS);
  rates.add(STEP_MS);
  assert.deepEqual(rates.series, {
    ...{ requests: [7], server_errors: [1], passwords: [2] },
    ...{ busy_percent: [25], memory_bytes: [9] },
  });
  for (let step = 2; step < POINTS + 10; step++) rates.add(step * STEP_MS);
  assert.equal(rates.series.requests.length, POINTS);
  assert.ok(rates.series.requests.every((point) => point === 0));
});

it('A text that leaves the machine names folders by their setting, and files without their folder', () => {
  const folders = { DATA_DIR: '/srv/stoa', BACKUP_DIR: '/srv/stoa/backups' };
  const shown = (text: string) => withoutPaths(text, folders);
  assert.equal(
    shown("ENOSPC: no space left, open '/srv/stoa/backups/a.zst'"),
    "ENOSPC: no space left, open 'BACKUP_DIR/a.zst'",
  );
  assert.equal(shown('at file:///opt/stoa/dist/main.js:3'), 'at main.js:3');
  assert.equal(
    shown('see https://stoa.example/docs/a and 3 / 4'),
    'see https://stoa.example/docs/a and 3 / 4',
  );
});

function valueIn({ settings }: { settings: { name: string; value: string }[] }, name: string): string {
  return settings.find((each) => each.name === name)?.value ?? '';
}

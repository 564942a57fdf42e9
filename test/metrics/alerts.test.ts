import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { firing, RULES } from '../support/alerts.ts';
import { call } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { measured, scrape, select } from '../support/metrics.ts';
import { observed } from '../support/observed.ts';
import { execOn } from '../support/place.ts';
import { type Sample, selectorsOf } from '../support/promql.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;

it('The page of the metrics leads from every alert to its cure, and from no other', () => {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/`(Stoa\w+)`/g)].map(([, name]) => name);
  assert.deepEqual(named.toSorted(), RULES.map(({ alert }) => alert).toSorted());
});

onOneEngine('Alert rules', (engine) => {
  it('No rule fires on a healthy service, and rules fire on a paused webhook, waiting mails and failing statements', async (t) => {
    const settings = await engine.settings(t);
    let isFailing = false;
    const before = () => {
      if (isFailing) throw new Error('a fault');
    };
    const service = await startService(
      t,
      { ...engine, settings: async () => settings },
      { METRICS_PORT: '0', SMTP_URL: 'log', PUBLIC_URL: 'https://stoa.example' },
      { clock: () => NOW, wrap: (store) => observed(store, { before }) },
    );
    const samples: Sample[] = [];
    let minutes = 0;
    let last = await measured(service);
    /** Scrapes once a minute, with a request before each, and returns what fires after these minutes. */
    const after = async (count: number) => {
      for (let each = 0; each < count; each++) {
        service.passTime(MINUTE);
        minutes++;
        await call(service.url, 'GET', '/api/content');
        last = isFailing ? await scrape(service) : await measured(service, last);
        // Jobs go by the clock of the machine, for which these minutes are a moment.
        const others = last.series.filter(({ name }) => name !== 'stoa_task_last_success_timestamp_seconds');
        const series = others.map((of) => ({ ...of, labels: { ...of.labels, instance: 'one' } }));
        samples.push({ at: (NOW + minutes * MINUTE) / 1_000, series });
      }
      return firing(samples);
    };

    assert.deepEqual(await after(17), []);
    for (const { alert, expr } of RULES)
      for (const { name, labels } of selectorsOf(expr)) {
        // by-itself.test.ts has a service that makes backups.
        if (name.startsWith('stoa_backup_')) continue;
        // Prometheus makes this one.
        if (name === 'up') continue;
        const found = select(last, name);
        assert.ok(found.length > 0, `${alert} asks for ${name}`);
        for (const label of Object.keys(labels))
          assert.ok(
            found.every((of) => label in of.labels),
            `${alert} asks for ${label} of ${name}`,
          );
      }

    await execOn(
      settings,
      `INSERT INTO webhooks (url, events, description, created_at, paused_at, paused_because)
       VALUES ('https://example.com/hook', '["*"]', '', 1, 1, 'gone')`,
    );
    assert.deepEqual(await after(6), ['StoaWebhookPaused']);
    await execOn(settings, "UPDATE webhooks SET paused_because = 'admin'");
    assert.deepEqual(await after(6), [], 'an admin paused it');

    await execOn(
      settings,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101)
       INSERT INTO mails (id, recipient, template, template_values, made_at, attempts, next_attempt_at, give_up_at)
       SELECT 'waits ' || i, 'ada@example.org', 'reset', '{}', ${NOW}, 1, ${NOW + 365 * 24 * 60 * MINUTE}, ${NOW + 365 * 24 * 60 * MINUTE} FROM n`,
    );
    assert.deepEqual(await after(14), []);
    assert.deepEqual(await after(2), ['StoaMailsWait']);
    await execOn(settings, 'DELETE FROM mails');
    assert.deepEqual(await after(1), []);

    isFailing = true;
    await after(2);
    const failures = async () =>
      select(await scrape(service), 'stoa_task_failures_total').map(({ value }) => value);
    await until(async () => Math.max(...(await failures())) >= 6, 'a task fails six times');
    assert.deepEqual(await after(10), ['StoaErrors', 'StoaTaskFails', 'StoaFiguresOld']);
    isFailing = false;
  });
});

it('An instance that answers no scrape wakes somebody, and mails that are given up make a ticket', () => {
  const labels = { instance: 'one', job: 'stoa' };
  const during = (up: number, givenUp: number) =>
    firing(
      Array.from({ length: 5 }, (_, minute) => ({
        at: minute * 60,
        series: [
          { name: 'up', labels, value: up },
          {
            name: 'stoa_mail_attempts_total',
            labels: { ...labels, outcome: 'given_up' },
            value: givenUp * minute,
          },
        ],
      })),
    );
  assert.deepEqual(during(1, 0), []);
  assert.deepEqual(during(0, 0), ['StoaDown']);
  assert.deepEqual(during(1, 1), ['StoaMailsGivenUp']);
});

it('Refusals with `busy` make a ticket and wake nobody, and other failures fire the rule of errors', () => {
  const during = (error: string) =>
    firing(
      Array.from({ length: 17 }, (_, minute) => ({
        at: minute * 60,
        series: [
          {
            name: 'stoa_http_requests_total',
            labels: { instance: 'one', status: '5xx' },
            value: minute * 60,
          },
          { name: 'stoa_http_failures_total', labels: { instance: 'one', error }, value: minute * 60 },
        ],
      })),
    );
  assert.deepEqual(during('busy'), ['StoaBusy']);
  for (const error of ['internal', 'unavailable']) assert.deepEqual(during(error), ['StoaErrors']);
  assert.deepEqual(during('not_found'), []);
});

it('The rules of slow requests, old backups and the search index fire at figures above theirs, and not at lower ones', () => {
  const labels = { instance: 'one' };
  const bucket = (le: string, value: number) => ({
    name: 'stoa_http_request_duration_seconds_bucket',
    labels: { ...labels, le },
    value,
  });
  const during = (slowOfHundred: number, waiting: number, backupEvery: number) =>
    firing(
      Array.from({ length: 17 }, (_, minute) => ({
        at: minute * 60,
        series: [
          bucket('1', minute * (1_000 - 10 * slowOfHundred)),
          bucket('2.5', minute * 1_000),
          bucket('+Inf', minute * 1_000),
          { name: 'process_start_time_seconds', labels, value: 0 },
          { name: 'stoa_backup_last_success_timestamp_seconds', labels, value: 1 },
          { name: 'stoa_backup_interval_seconds', labels, value: backupEvery },
          { name: 'stoa_index_waiting', labels, value: waiting },
        ],
      })),
    );
  assert.deepEqual(during(1.5, 10_001, 60), ['StoaSlow', 'StoaBackupOld', 'StoaIndexBehind']);
  assert.deepEqual(during(0.5, 10_000, 600), []);
});

it('A first backup has twice the time between backups from the start on, and a later one from the one before', () => {
  const labels = { instance: 'one' };
  const after = (minutes: number, lastBackup: number) =>
    firing(
      Array.from({ length: minutes + 1 }, (_, minute) => ({
        at: minute * 60,
        series: [
          { name: 'process_start_time_seconds', labels, value: 0 },
          { name: 'stoa_backup_last_success_timestamp_seconds', labels, value: lastBackup },
          { name: 'stoa_backup_interval_seconds', labels, value: 600 },
        ],
      })),
    );
  assert.deepEqual(after(30, 0), []);
  assert.deepEqual(after(31, 0), ['StoaBackupMissing']);
  assert.deepEqual(after(30, 1), []);
  assert.deepEqual(after(31, 1), ['StoaBackupOld']);
});

it('A job without success for long and writes that wait make tickets, and a backup that takes hours does not', () => {
  const during = (task: string, waiting: number, succeedsUntil: number) =>
    firing(
      Array.from({ length: 41 }, (_, minute) => ({
        at: minute * 60,
        series: [
          {
            name: 'stoa_task_last_success_timestamp_seconds',
            labels: { instance: 'one', task },
            value: Math.min(minute, succeedsUntil) * 60,
          },
          { name: 'stoa_task_interval_seconds', labels: { instance: 'one', task }, value: 60 },
          { name: 'stoa_store_waiting', labels: { instance: 'one', thread: 'writer' }, value: waiting },
          { name: 'stoa_store_waiting', labels: { instance: 'one', thread: 'reader' }, value: 5_000 },
        ],
      })),
    );
  assert.deepEqual(during('sending mail', 1_000, 40), []);
  assert.deepEqual(during('sending mail', 1_001, 40), ['StoaWritesWait']);
  assert.deepEqual(during('sending mail', 0, 9), ['StoaTaskHangs']);
  assert.deepEqual(during('sending mail', 0, 10), []);
  assert.deepEqual(during('backing up', 0, 0), []);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { METRICS } from '../../src/domain/metrics.ts';
import type { App } from '../../src/http/server.ts';
import { readingsOfAll } from '../../src/metrics/among-workers.ts';
import { Measured } from '../../src/metrics/measured.ts';
import { listen } from '../content/black-box/event-stream.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { startCollector } from '../support/collector.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { type Metrics, measured, metricsUrl, scrape, select } from '../support/metrics.ts';
import { observed } from '../support/observed.ts';
import { firstOf, rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until, untilThere } from '../support/until.ts';

const SETTINGS = { METRICS_PORT: '0', SMTP_URL: 'log', PUBLIC_URL: 'https://stoa.example' };
const LONG = { route: '/long', method: 'GET' };
const PAGE = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');

onEveryEngine('Metrics', (engine) => {
  it('Metrics move with what happens, are those of the list, and name no person and no path', async (t) => {
    const service = await startService(t, engine, SETTINGS);
    const { url } = service;
    const before = await measured(service);
    const { token, username, email } = await newAccount(url);
    const { id } = await newItem(url, token);
    await call(url, 'GET', `/api/content/${id}`, { token });
    await call(url, 'GET', '/api/content?keyword=nothing', { token });
    await call(url, 'GET', `/api/${username}`, { undocumented: true });
    let after = before;
    const grown = (name: string, labels: Record<string, string> = {}) =>
      sumOf(after, name, labels) - sumOf(before, name, labels);
    // On PostgreSQL a job numbers changes after their commit.
    while (grown('stoa_feed_newest_number') < 2) {
      service.passTime(15_000);
      after = await measured(service, after);
    }

    const read = { route: '/api/content/:id', method: 'GET' };
    assert.equal(grown('stoa_http_requests_total', { ...read, status: '2xx' }), 1);
    assert.equal(grown('stoa_http_request_duration_seconds_count', read), 1);
    assert.equal(grown('stoa_http_requests_total', { route: 'other', status: '4xx' }), 1);
    assert.equal(grown('stoa_http_failures_total', { error: 'not_found' }), 1);
    assert.ok(grown('stoa_hashing_jobs_total') >= 2);
    assert.ok(grown('stoa_cache_hits_total', { cache: 'access tokens' }) >= 1);
    assert.equal(after.value('stoa_sessions'), 1);
    assert.equal(after.value('stoa_database_up'), 1);
    assert.ok(after.value('stoa_database_size_bytes') > 0);
    if (engine.name === 'SQLite') assert.ok(grown('stoa_store_batches_total', { thread: 'writer' }) >= 2);
    else assert.ok(sumOf(after, 'stoa_pool_connections') >= 1);

    for (const secret of [username, email, token, '127.0.0.1']) assert.ok(!after.text.includes(secret));
    assertDeclared(after);
  });

  it('A refused request is counted by its limit, whether an instance counts it or all together do', async (t) => {
    const service = await startService(t, engine, { ...SETTINGS, REGISTRATIONS_PER_HOUR: '1' });
    const { username, email } = await newAccount(service.url);
    const before = await scrape(service);
    const post = (path: string, body: object) => call(service.url, 'POST', `/api/auth/${path}`, { body });
    for (let guess = 0; guess < 11; guess++) await post('login', { username, password: 'a wrong one' });
    await post('register', { username: 'another', email: `another.${email}`, password: 'a wrong one' });
    const after = await scrape(service);
    const grown = select(after, 'stoa_limits_refused_total').flatMap(({ labels, value }) => {
      const steps = value - before.value('stoa_limits_refused_total', labels);
      return steps === 0 ? [] : [[labels.limit, steps]];
    });
    assert.deepEqual(grown, [
      ['pair', 1],
      ['registrations', 1],
    ]);
  });
});

onOneEngine('Metrics', (engine) => {
  it('Of two limits in the metrics, the names differ by more than by case, underscores and number', async (t) => {
    const scraped = await scrape(await startService(t, engine, SETTINGS));
    const limits = select(scraped, 'stoa_limits_refused_total').map(({ labels }) => labels.limit ?? '');
    assert.ok(limits.length > 20);
    const plain = limits.map((limit) => limit.toLowerCase().replaceAll('_', '').replace(/s$/, ''));
    assert.deepEqual(
      limits.filter((_, place) => plain.indexOf(plain[place] ?? '') !== place),
      [],
    );
  });

  it('A thousand unknown paths and methods add no series', async (t) => {
    const service = await startService(t, engine, SETTINGS);
    const before = await measured(service);
    const last = rawGet(`/${randomUUID()}`, 'Connection: close\r\n');
    for (let connection = 0; connection < 40; connection++) {
      // Requests that are sent ahead take a tenth of the time.
      const ahead = Array.from({ length: 24 }, (_, each) =>
        rawGet(`/${randomUUID()}`).replace('GET', each % 2 === 0 ? 'GET' : 'DELETE'),
      );
      const answers = await text(sendRaw(t, service.url, ahead.join('') + last));
      assert.equal(answers.match(/HTTP\/1\.1 404 /g)?.length, 25);
    }
    await (await fetch(`${service.url}/livez`, { method: 'DELETE' })).text();
    const after = await scrape(service);
    assert.deepEqual(seriesOfStoa(after), seriesOfStoa(before));
    const other = { route: 'other', method: 'other', status: '4xx' };
    assert.equal(after.value('stoa_http_requests_total', other), 1_001);
  });

  it('A request whose client left before its answer is counted as left, with its time, and its span ends', async (t) => {
    const collector = await startCollector(t);
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const beforeRoutes = async (bare: App) => {
      bare.get('/held', () => {
        begun.resolve();
        return gate.promise;
      });
    };
    const settings = { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const service = await startService(t, engine, settings, { beforeRoutes });
    const socket = sendRaw(t, service.url, rawGet('/held'));
    await begun.promise;
    await pause(200);
    socket.destroy();
    const held = { route: '/held', method: 'GET' };
    const left = await untilThere(async () => {
      const metrics = await scrape(service);
      return select(metrics, 'stoa_http_requests_total', { ...held, status: 'left' })[0] && metrics;
    }, 'the request is counted');
    const took = left.value('stoa_http_request_duration_seconds_sum', held);
    assert.ok(took >= 0.1, String(took));
    await until(() => collector.spans().some(({ name }) => name === 'GET /held'), 'its span is sent');
    const [span] = collector.spans().filter(({ name }) => name === 'GET /held');
    assert.ok(!span?.attributes.some(({ key }) => key === 'http.response.status_code'));
    gate.resolve('');
    await call(service.url, 'GET', '/livez', { undocumented: true });
    assert.equal((await scrape(service)).value('stoa_http_request_duration_seconds_count', held), 1);
  });

  it('A client that leaves in the middle of a long answer is counted as left', async (t) => {
    const beforeRoutes = async (bare: App) => {
      bare.get('/long', async () => Buffer.alloc(64 * 1_024 * 1_024));
    };
    const service = await startService(t, engine, SETTINGS, { beforeRoutes });
    const socket = sendRaw(t, service.url, rawGet('/long'));
    await firstOf(socket);
    socket.destroy();
    const counted = () =>
      scrape(service).then((metrics) => select(metrics, 'stoa_http_requests_total', LONG));
    await until(async () => (await counted()).length > 0, 'the request is counted');
    const statuses = (await counted()).filter(({ value }) => value > 0).map(({ labels }) => labels.status);
    assert.deepEqual(statuses, ['left']);
  });

  it('A stream of events is no request, and its span ends when it begins', async (t) => {
    const collector = await startCollector(t);
    const settings = { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const service = await startService(t, engine, settings);
    const { token } = await newAccount(service.url);
    const { isOver } = await listen(service.url, { token });
    await until(() => collector.spans().some(({ name }) => name === 'GET /api/events'), 'its span is sent');
    assert.ok(!isOver());
    await call(service.url, 'POST', '/api/auth/logout', { token });
    await until(isOver, 'the stream is over');
    // Counted after the end of the stream.
    await call(service.url, 'GET', '/api/content');
    const metrics = await scrape(service);
    assert.equal(metrics.value('stoa_http_request_duration_seconds_count', { route: '/api/content' }), 1);
    assert.deepEqual(select(metrics, 'stoa_http_requests_total', { route: '/api/events' }), []);
    await pause(1_500);
    assert.equal(collector.spans().filter(({ name }) => name === 'GET /api/events').length, 1);
  });

  it('The database is asked once in 15 seconds, however many read the metrics', async (t) => {
    let asked = 0;
    const wrap = (store: Parameters<typeof observed>[0]) =>
      observed(store, {
        before: (operation) => {
          if (operation === 'sessions.count') asked++;
        },
      });
    const service = await startService(t, engine, SETTINGS, { wrap, clock: () => 1_900_000_000_000 });
    await Promise.all(Array.from({ length: 10 }, () => scrape(service)));
    const first = await measured(service);
    await scrape(service);
    assert.equal(asked, 1);
    service.passTime(15_000);
    await measured(service, first);
    await scrape(service);
    assert.equal(asked, 2);
  });

  it('A database that never answers keeps nobody from the metrics, and a failure is counted', async () => {
    const { promise, resolve } = Promise.withResolvers<[]>();
    let [now, asked] = [0, 0];
    const measure = () => {
      asked++;
      return promise;
    };
    const silent = new Measured(
      () => [measure],
      () => now,
      1,
    );
    const [measured] = await silent.readings();
    assert.deepEqual(measured, { name: 'stoa_measured_timestamp_seconds', value: 0 });
    now = 60_000;
    await silent.readings();
    assert.equal(asked, 1, 'nobody asks again while it has not answered');
    resolve([]);
    const failing = new Measured(
      () => [() => Promise.reject(new Error('away'))],
      () => 60_000,
    );
    assert.deepEqual(await failing.readings(), [
      { name: 'stoa_measured_timestamp_seconds', value: 0 },
      { name: 'stoa_measure_failures_total', value: 1 },
    ]);
  });

  it('A task that fails, and the time of its last success, are in the metrics', async (t) => {
    const before = (operation: string) => {
      if (operation === 'changes.remove_old') throw new Error('a fault');
    };
    const service = await startService(t, engine, SETTINGS, { wrap: (store) => observed(store, { before }) });
    const task = 'removing old changes';
    const failures = async () => (await scrape(service)).value('stoa_task_failures_total', { task });
    await until(async () => (await failures()) > 0, 'the task fails');
    const { value } = await scrape(service);
    assert.equal(value('stoa_task_last_success_timestamp_seconds', { task }), 0);
  });

  it('The metrics are at one path that can only be read, and their address ends with the service', async (t) => {
    const service = await startService(t, engine, SETTINGS);
    const url = metricsUrl(service);
    assert.ok(url.startsWith('http://127.0.0.1:'));
    assert.equal((await fetch(new URL('/', url))).status, 404);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    const posted = await fetch(url, { method: 'POST', body: 'x' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
    assert.equal((await fetch(url, { headers: { long: 'x'.repeat(9_000) } })).status, 431);
    await service.stop();
    await assert.rejects(fetch(url));
  });

  it('No metrics are served unless METRICS_PORT is set', async (t) => {
    assert.equal(readConfig({}).metrics, undefined);
    assert.deepEqual(readConfig({ METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9464 });
    const { log } = await startService(t, engine);
    assert.ok(!log.some((line) => line.includes('metrics are served')));
  });
});

it('Of a figure that each worker reports, the service reports the least, the greatest or the sum', () => {
  const readings = [3, 1, 2].flatMap((value) => [
    { name: 'stoa_database_up' as const, value },
    { name: 'stoa_backup_interval_seconds' as const, value },
    { name: 'stoa_limits_refused_total' as const, value, labels: { limit: 'pair' } },
  ]);
  const other = { name: 'stoa_limits_refused_total' as const, value: 5, labels: { limit: 'writes' } };
  assert.deepEqual(
    readingsOfAll([...readings, other]).map(({ value }) => value),
    [1, 3, 6, 5],
  );
});

it('The page of the metrics has each metric once, with its type and its labels', () => {
  const rows = [...PAGE.matchAll(/^\| `(stoa_\w+)` \| (\w+) \| (.*?) \|/gm)].map(([, ...cells]) => cells);
  const listed = Object.entries(METRICS).map(([name, metric]) => {
    const labels = 'labels' in metric ? metric.labels.map((label) => `\`${label}\``).join(', ') : '';
    return [name, metric.type, labels];
  });
  assert.deepEqual(rows, listed);
});

function sumOf(metrics: Metrics, name: string, labels: Record<string, string> = {}): number {
  return select(metrics, name, labels).reduce((sum, { value }) => sum + value, 0);
}

function seriesOfStoa({ series }: Metrics): string[] {
  const ours = series.filter(({ name }) => name.startsWith('stoa_'));
  return ours.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
}

/** Every metric of the list is there with its type, and every series has the labels of its metric. */
function assertDeclared({ types, series }: Metrics): void {
  const ours = [...types].filter(([name]) => name.startsWith('stoa_'));
  assert.deepEqual(
    ours,
    Object.entries(METRICS).map(([name, { type }]) => [name, type]),
  );
  for (const { name, labels } of series) {
    const [, metric] =
      Object.entries(METRICS).find(([each]) => name.replace(/_(bucket|sum|count)$/, '') === each) ?? [];
    if (!metric) continue;
    const { le: _, ...rest } = labels;
    assert.deepEqual(Object.keys(rest), 'labels' in metric ? metric.labels : [], name);
  }
}

it('Figures of the database are read again after the clock was set back', async () => {
  let [now, reads] = [10 * 60_000, 0];
  const measure = async () => {
    reads++;
    return [];
  };
  const measured = new Measured(
    () => [measure],
    () => now,
  );
  await measured.readings();
  await measured.readings();
  assert.equal(reads, 1);
  now = 0;
  await measured.readings();
  assert.equal(reads, 2);
});

// Needs: processes.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newAccount, newName, PASSWORD } from '../support/client.ts';
import { startCollector } from '../support/collector.ts';
import { ENGINES, lifetimeOfSuite, onOneEngine } from '../support/engines.ts';
import { giveRole } from '../support/make-admin.ts';
import { scrape, select } from '../support/metrics.ts';
import { execOn, placeAt } from '../support/place.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { isAlive } from '../support/process-state.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until, untilThere } from '../support/until.ts';
import { clientsOf, type WorkerClient, workersOf } from '../support/workers.ts';
import { startWriters } from '../support/writers.ts';

const WORKERS = { WORKERS: '2', DATABASE_POOL: '10' };
const REPLACED = 'a worker has taken the place';
/** Half of them are written at each worker. */
const ITEMS = 40;
/** One row that a figure of the database counts, and that no test changes. */
const PAUSED_WEBHOOK = `INSERT INTO webhooks (url, events, description, created_at, paused_at, paused_because)
  VALUES ('https://example.org/', '[]', '', 1, 1, 'failing')`;
/** A worker sends what it has counted in a tenth of a second. */
const COUNTED_MS = 200;

/**
 * Resolves when each worker knows what the others have counted. A scrape asks the workers on the same channels, which
 * keep the order: the first rounds come after what a worker sends to the primary, and the last after what that passes on.
 */
async function untilTold({ stdout }: ServiceProcess, clients: readonly WorkerClient[]): Promise<void> {
  const answered = async () => {
    const metrics = await scrape({ log: stdout().split('\n').filter(Boolean) });
    return metrics.value('stoa_http_requests_total', { route: '/livez', method: 'GET', status: '2xx' });
  };
  await sleep(COUNTED_MS);
  for (let round = 0; round < 3; round++) {
    const before = await answered();
    for (const { send } of clients) await send('GET', '/livez');
    await until(
      async () => (await answered()) >= before + clients.length,
      'the workers report their requests',
    );
  }
}

// One test, because the last step ends the service.
for (const engine of ENGINES)
  it(`A service with two workers acts as one, on ${engine.name}`, async (lifetime) => {
    const settings = await engine.settings(lifetime);
    await execOn(settings, PAUSED_WEBHOOK);
    const collector = await startCollector(lifetime);
    // Only what a caller traces is sent.
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' };
    // The primary looks for a port, and all workers listen there.
    const ports = { PORT: '0', METRICS_PORT: '0' };
    const service = await startProcess(lifetime, { ...settings, ...WORKERS, ...ports, ...traces });

    await lifetime.test(
      'The metrics are those of all workers together, also after one of them has ended',
      async (t) => {
        const log = () => ({ log: service.stdout().split('\n').filter(Boolean) });
        const name = newName();
        for (const { send } of await clientsOf(t, service))
          for (let count = 0; count < 5; count++)
            await send('POST', '/api/auth/login', '', { username: name, password: PASSWORD });
        const wrong = { route: '/api/auth/login', method: 'POST', status: '4xx' };
        // On a busy machine a worker may be asked for its counts, or the database for its figures, in vain.
        const before = await untilThere(async () => {
          const metrics = await scrape(log());
          const counts = select(metrics, 'stoa_http_requests_total', wrong).map(({ value }) => value);
          const isWhole = Number(counts[0]) >= 10 && select(metrics, 'stoa_webhooks_paused').length > 0;
          return isWhole ? metrics : undefined;
        }, 'all workers report their requests, and one the webhooks');
        assert.equal(before.value('stoa_http_requests_total', wrong), 10);
        assert.equal(before.value('stoa_database_up'), 1);
        // A figure of the database is not added up, and neither is one of a clock.
        assert.equal(before.value('stoa_webhooks_paused'), 1);
        assert.ok(before.value('stoa_measured_timestamp_seconds') < 2 * (Date.now() / 1_000));
        // The rule of old backups needs it.
        const age = Date.now() / 1_000 - before.value('process_start_time_seconds');
        assert.ok(age > 0 && age < 3_600, `${age} s`);

        const [killed] = workersOf(service);
        assert.ok(killed);
        process.kill(killed, 'SIGKILL');
        await until(() => service.stdout().includes(REPLACED), 'a new worker');
        assert.equal((await scrape(log())).value('stoa_http_requests_total', wrong), 10);
      },
    );

    await lifetime.test(
      'A sign-out or a lost role at one worker is refused by the others within a second',
      async (t) => {
        const [one, other] = await clientsOf(t, service);
        assert.ok(one && other);
        for (const [here, there] of [
          [one, other],
          [other, one],
        ] as const) {
          const [member, admin] = [await newAccount(service.url), await newAccount(service.url)];
          await giveRole(settings, 'admin', member, admin);
          await until(
            async () => (await here.send('GET', '/api/audit', admin.token)).status === 200,
            'an admin',
          );

          await until(
            async () => (await there.send('GET', '/api/audit', member.token)).status === 200,
            'an admin',
          );
          const taken = await here.send('PUT', `/api/users/${member.id}`, admin.token, { role: 'member' });
          assert.equal(taken.status, 200, JSON.stringify(taken.body));
          const lost = stopwatch();
          await until(
            async () => (await there.send('GET', '/api/audit', member.token)).status === 403,
            'refused',
          );
          assert.ok(lost() < 1_000, `${lost()} ms`);

          assert.equal((await there.send('GET', '/api/users/me', member.token)).status, 200);
          assert.equal((await here.send('POST', '/api/auth/logout', member.token)).status, 200);
          const ended = stopwatch();
          await until(
            async () => (await there.send('GET', '/api/users/me', member.token)).status === 401,
            'refused',
          );
          assert.ok(ended() < 1_000, `${ended()} ms`);
        }
      },
    );

    await lifetime.test('A read at one worker sees each write that another has acknowledged', async (t) => {
      const [one, other] = await clientsOf(t, service);
      assert.ok(one && other);
      const { token } = await newAccount(service.url);
      let isOver = false;
      // The reader is busy meanwhile, so its turns of the event loop are long.
      const others = (await clientsOf(t, service)).map(async ({ send }) => {
        while (!isOver) await send('GET', '/api/content?per_page=100');
      });
      for (let round = 0; round < ITEMS; round++) {
        const writer: WorkerClient = round % 2 ? one : other;
        const reader: WorkerClient = round % 2 ? other : one;
        const made = await writer.send('POST', '/api/content', token, { title: `${round}`, content: 'x' });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        const { status, body } = await reader.send('GET', `/api/content/${made.body.data.id}`, token);
        assert.equal(status, 200, `round ${round}`);
        assert.equal(body.data.title, `${round}`);
      }
      isOver = true;
      await Promise.all(others);
    });

    await lifetime.test(
      'Each worker goes on with the trace of its caller, and sends its spans',
      async (t) => {
        const { token } = await newAccount(service.url);
        const callers: (readonly [traceId: string, spanId: string])[] = [];
        for (const { send } of await clientsOf(t, service)) {
          const caller = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')] as const;
          const headers = { traceparent: `00-${caller.join('-')}-01` };
          const made = await send('POST', '/api/content', token, { title: 'x', content: 'x' }, headers);
          assert.equal(made.status, 200, JSON.stringify(made.body));
          callers.push(caller);
        }
        assert.equal(callers.length, 2);
        const spanOf = (name: string, [traceId, parent]: readonly [string, string]) =>
          collector
            .spans()
            .find((each) => each.name === name && each.traceId === traceId && each.parentSpanId === parent);
        for (const caller of callers) {
          const request = await untilThere(
            () => spanOf('POST /api/content', caller),
            'a worker sends the request',
          );
          const operation = spanOf('content.create', [caller[0], request.spanId]);
          assert.ok(operation, 'the operation is below its request');
          // The statement of a write on SQLite runs in the primary, which sends its spans by itself.
          await until(
            () =>
              collector
                .spans()
                .some(
                  (each) => each.parentSpanId === operation.spanId && each.name.startsWith('INSERT content'),
                ),
            'the statement is sent',
          );
        }
      },
    );

    await lifetime.test(
      'A service with workers that is stopped under load answers every request that it took, and exits with 0',
      async () => {
        const writers = await startWriters(lifetime, service, placeAt(settings));
        await writers.more(100);
        const workers = workersOf(service);
        const elapsed = stopwatch();
        assert.equal(await service.stop('SIGTERM'), 0, service.stdout());
        assert.ok(elapsed() < 10_000, `${elapsed()} ms`);
        assert.ok(!workers.some(isAlive));
        await writers.stop();
        assert.deepEqual(
          writers.broken.filter((code) => code !== 'ECONNREFUSED'),
          [],
        );
        await writers.checkStored();
      },
    );
  });

// The primary passes on what the workers have counted, in the same way on each engine.
onOneEngine(
  'What the workers count together',
  (engine) => {
    const lifetime = lifetimeOfSuite();
    let service: ServiceProcess;
    before(async () => {
      const limits = { WRITES_PER_HOUR: '20', STORED_MB: '1', METRICS_PORT: '0' };
      const settings = await engine.settings(lifetime);
      service = await startProcess(lifetime, { ...settings, ...WORKERS, ...limits });
    });

    it('The workers count a limit of the memory together, and each new connection may spend what is left of all', async (t) => {
      const clients = await clientsOf(t, service);
      const { token } = await newAccount(service.url);
      const [one, other] = clients;
      assert.ok(one && other);
      const write = async ({ send }: typeof one) =>
        (await send('POST', '/api/content', token, { title: 'x', content: 'x' })).status;
      // One connection may spend more than an even part.
      for (let count = 0; count < 15; count++) assert.equal(await write(one), 200);
      await untilTold(service, clients);
      const answers = [];
      for (let count = 0; count < 10; count++) answers.push(await write(other));
      assert.deepEqual(answers, [200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
      await until(async () => (await write(one)) === 429, 'the first worker has heard of it');
    });

    it('What an account stores at one worker fills it at the others', async (t) => {
      const clients = await clientsOf(t, service);
      const { token } = await newAccount(service.url);
      const [one, other] = clients;
      assert.ok(one && other);
      const write = ({ send }: WorkerClient, content: string) =>
        send('POST', '/api/content', token, { title: 'x', content });
      // From now on both know a sum, which they read again after ten minutes.
      for (const client of clients) assert.equal((await write(client, 'x')).status, 200);
      for (let half = 0; half < 2; half++)
        assert.equal((await write(one, 'x'.repeat(600 * 1024))).status, 200);
      await untilTold(service, clients);
      const { status, body } = await write(other, 'x');
      assert.deepEqual([status, body.data?.error], [400, 'storage_full'], JSON.stringify(body));
    });

    it('A worker that replaces another one goes on with the counts of a limit of the memory', async (t) => {
      const { token } = await newAccount(service.url);
      const [one, other] = await clientsOf(t, service);
      assert.ok(one && other);
      const write = async ({ send }: WorkerClient) =>
        (await send('POST', '/api/content', token, { title: 'x', content: 'x' })).status;
      for (let count = 0; count < 17; count++) assert.equal(await write(one), 200);
      await untilTold(service, [one, other]);
      process.kill(one.worker, 'SIGKILL');
      await until(() => service.stdout().includes(REPLACED), 'a new worker');
      const fresh = (await clientsOf(t, service)).find(({ worker }) => worker !== other.worker);
      assert.ok(fresh);
      const answers = [];
      for (let count = 0; count < 5; count++) answers.push(await write(fresh));
      assert.deepEqual(answers, [200, 200, 200, 429, 429]);
    });
  },
  1,
);

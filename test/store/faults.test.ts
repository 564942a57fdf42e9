// Needs: processes, and no other file beside it.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Answer, call, newAccount } from '../support/client.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { lifetimeOfSuite } from '../support/engines.ts';
import { assertUnavailable } from '../support/expect.ts';
import { connect, execute } from '../support/postgres.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

/** What all tests write. Each item has a title, a word and a tag, so one that has less was made by halves. */
const ITEM = { title: 't', content: 'c', tags: ['load'] };

/** A server of the suite's own, which its tests may break one after the other, and a process of the service on it. */
function ownServer(settings: Record<string, string> = {}) {
  const t = lifetimeOfSuite();
  let started: { cluster: Cluster; url: string; service: ServiceProcess; token: string } | undefined;
  before(async () => {
    const cluster = await startCluster(settings);
    t.after(() => cluster.remove());
    const service = await startProcess(t, { DATABASE_URL: cluster.url, DATABASE_POOL: '5' });
    const { token } = await newAccount(service.url);
    started = { cluster, url: service.url, service, token };
  });
  return async () => {
    const running = started ?? assert.fail('The server starts with the first test.');
    // The test before has broken it.
    await until(
      async () => (await call(running.url, 'GET', '/readyz')).status === 200,
      'the service is ready',
    );
    return running;
  };
}

describe('Failures of PostgreSQL', { concurrency: 2 }, () => {
  describe('A PostgreSQL that stops', { concurrency: 1 }, () => {
    const server = ownServer();

    it('A service whose PostgreSQL stops logs the begin, each failed request, and the end', async () => {
      const { cluster, url, service } = await server();
      const before = service.stdout().length;
      const logged = (msg: string) =>
        service
          .stdout()
          .slice(before)
          .split('\n')
          .filter((line) => line.includes(`"msg":"${msg}"`))
          .map((line) => JSON.parse(line));
      await cluster.stop();
      await until(() => logged('the database does not answer').length > 0, 'the log tells of the begin');
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(url, 'GET', '/api/content')));
      await cluster.start();
      await until(() => logged('the database answers again').length > 0, 'the log tells of the end');

      const { host, pathname } = new URL(cluster.url);
      const [begin, ...again] = logged('the database does not answer');
      assert.deepEqual(again, []);
      assert.equal(begin.database, `postgres://${host}${pathname}`);
      assert.ok(begin.cause.length > 0, 'says why');
      assert.equal(logged('the database answers again').length, 1);
      const failures = logged('request failed');
      for (const { status, body } of answers) {
        assert.equal(status, 503);
        const [line, ...more] = failures.filter(({ request_id }) => request_id === body.data.request_id);
        assert.deepEqual(more, []);
        assert.deepEqual([line.failure, line.route], ['unavailable', '/api/content']);
        assert.match(line.cause, /ECONNREFUSED|terminat/);
      }
      assert.doesNotMatch(service.stdout(), /"stack"/);
    });

    it('A service whose PostgreSQL stops answers 503 in time, and is ready by itself after the restart', async (t) => {
      const { cluster, url, token } = await server();
      for (let round = 0; round < 2; round++) {
        const load = writeUntilTold(url, token);
        await new Promise((resolve) => setTimeout(resolve, 500));
        await cluster.stop();
        const [created, list, ready, live] = await Promise.all([
          inTime(call(url, 'POST', '/api/content', { token, body: ITEM })),
          inTime(call(url, 'GET', '/api/content')),
          inTime(call(url, 'GET', '/readyz')),
          inTime(call(url, 'GET', '/livez')),
        ]);
        for (const answer of [created, list, ready]) assertUnavailable(answer);
        assert.equal(live.status, 200);
        await cluster.start();
        const sinceRestart = stopwatch();
        while ((await call(url, 'GET', '/readyz')).status !== 200) {
          assert.ok(sinceRestart() < 5_000, 'not ready five seconds after the restart');
        }
        const { acknowledged, others } = await load.stop();
        t.diagnostic(`${acknowledged.length} acknowledged, ${others.length} answered 503`);
        for (const answer of others) assertUnavailable(answer);
        await assertKept(cluster, acknowledged);
      }
      const again = await call(url, 'POST', '/api/content', { token, body: ITEM });
      assert.equal(again.status, 200);
    });
  });

  describe('A PostgreSQL that ends connections, or keeps them waiting', { concurrency: 1 }, () => {
    const server = ownServer({ max_connections: '24', superuser_reserved_connections: '0' });

    it('A service that loses its backends under load answers 200 or 503, and does nothing by halves', async (t) => {
      const { cluster, url, token } = await server();
      const load = writeUntilTold(url, token);
      for (let round = 0; round < 20; round++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        await execute(
          cluster.url,
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stoa'`,
        );
      }
      const { acknowledged, others } = await load.stop();
      t.diagnostic(`${acknowledged.length} acknowledged, ${others.length} answered 503`);
      assert.ok(others.length > 0 && acknowledged.length > 0);
      for (const answer of others) assertUnavailable(answer);
      await assertKept(cluster, acknowledged);
      const [half] = await execute<{ count: number }>(
        cluster.url,
        `select count(*)::int from content
         full join (select content_id from content_search union select content_id from content_search_queue)
           as searched on searched.content_id = id
         full join (select content_id from content_tags where tag = 'load') as tagged on tagged.content_id = id
         where id is null or searched.content_id is null or tagged.content_id is null`,
      );
      assert.equal(half?.count, 0);
      const again = await call(url, 'POST', '/api/content', { token, body: ITEM });
      assert.equal(again.status, 200);
    });

    it('A service whose PostgreSQL waits for a lock gives up in time', async (t) => {
      const { cluster, url, token } = await server();
      const holder = await connect(cluster.url);
      await holder.query('begin');
      await holder.query('lock table content in access exclusive mode');
      const elapsed = stopwatch();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0
            ? call(url, 'POST', '/api/content', { token, body: ITEM })
            : call(url, 'GET', `/api/content/${index}`),
        ),
      );
      const took = elapsed();
      t.diagnostic(`given up after ${Math.round(took)} ms`);
      assert.ok(took < 6_000, `after ${took} ms`);
      for (const answer of answers) assertUnavailable(answer);
      await holder.query('rollback');
      await holder.end();
      const again = await call(url, 'POST', '/api/content', { token, body: ITEM });
      assert.equal(again.status, 200);
    });

    it('A service without a free connection on PostgreSQL answers 503, and works when there is one', async (t) => {
      const { cluster, url, token } = await server();
      const hoard = await takeAllConnections(cluster);
      const refusals = await Promise.all(
        Array.from({ length: 10 }, () => inTime(call(url, 'GET', '/api/users', { token }))),
      );
      // Connections that the service has still work; what needs another one is refused.
      const refused = refusals.filter(({ status }) => status !== 200);
      for (const answer of refused) assertUnavailable(answer);
      t.diagnostic(`${refused.length} of ${refusals.length} refused`);
      await execute(cluster.url, 'select 1').then(
        () => assert.fail('the server has a connection left'),
        () => {},
      );
      await Promise.all(hoard.map((client) => client.end()));
      const sinceFreed = stopwatch();
      while ((await call(url, 'GET', '/api/users', { token })).status !== 200) {
        assert.ok(sinceFreed() < 5_000, 'refused five seconds after connections were free');
      }
    });
  });
});

async function inTime(answer: Promise<Answer>): Promise<Answer> {
  const elapsed = stopwatch();
  const settled = await answer;
  const took = elapsed();
  assert.ok(took < 3_000, `answered only after ${took} ms`);
  return settled;
}

/** Eight clients that create items, whatever they are answered, until they are stopped. */
function writeUntilTold(url: string, token: string) {
  let goesOn = true;
  const acknowledged: number[] = [];
  const others: Answer[] = [];
  const writers = Array.from({ length: 8 }, async () => {
    while (goesOn) {
      const answer = await call(url, 'POST', '/api/content', { token, body: ITEM });
      if (answer.status === 200) acknowledged.push(answer.body.data.id);
      else others.push(answer);
    }
  });
  return {
    stop: async () => {
      goesOn = false;
      await Promise.all(writers);
      return { acknowledged, others };
    },
  };
}

async function assertKept(cluster: Cluster, ids: readonly number[]): Promise<void> {
  const [lost] = await execute<{ count: number }>(
    cluster.url,
    'select count(*)::int from unnest($1::bigint[]) as id where id not in (select id from content)',
    [ids],
  );
  assert.equal(lost?.count, 0);
}

/** Takes every connection that the server has, those of the service too. */
async function takeAllConnections({ url }: Cluster) {
  const first = await connect(url);
  const clients = [first];
  const takeMore = async () => {
    for (;;) clients.push(await connect(url));
  };
  await assert.rejects(takeMore());
  await first.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stoa'`);
  await assert.rejects(takeMore());
  return clients;
}

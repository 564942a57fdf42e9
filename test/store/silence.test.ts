// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrateStore, planMigration } from '../../src/migrate-store.ts';
import { connectForUse, hasSchema } from '../../src/store/postgres/connect.ts';
import { ACQUIRE_MS } from '../../src/store/postgres/pool.ts';
import { firingWhile } from '../support/alerts.ts';
import { type Answer, call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { startCluster } from '../support/cluster.ts';
import { assertUnavailable } from '../support/expect.ts';
import { scrape } from '../support/metrics.ts';
import { connect, execute, newPostgresDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { fallSilent } from '../support/silence.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

/** What the listener takes for silence. */
const ONCE_SILENT_MS = 3_000;
/** A silent server is answered with 503 within this time (docs/decisions/store.md). */
const PROMISE_MS = 5_000;

/** A service on a server of its own, which ends after the service does. */
async function serviceOnOwnServer(t: TestContext) {
  let database = '';
  let goOn = () => {};
  const settings = async () => {
    const cluster = await startCluster();
    t.after(async () => {
      goOn();
      await cluster.remove();
    });
    database = cluster.url;
    return { DATABASE_URL: database, DATABASE_POOL: '10' };
  };
  // The service stops first: it must not wait for a server that says nothing.
  t.after(() => goOn());
  const { url, log } = await startService(
    t,
    { name: 'PostgreSQL', settings },
    { METRICS_PORT: '0' },
    { patience: 1 },
  );
  const silence = async () => {
    goOn = await fallSilent(database);
    return goOn;
  };
  return { url, database, log, silence };
}

describe('Silent PostgreSQL servers', () => {
  it('A PostgreSQL server that falls silent makes every request 503 in time, and nothing is lost', async (t) => {
    const { url, database, log, silence } = await serviceOnOwnServer(t);
    const { token, username } = await newAccount(url);
    const { id } = await newItem(url, token, { content: 'findable' });
    const search = () => call(url, 'GET', '/api/content?keyword=findable');
    assert.equal((await search()).body.data.total, 1);

    const load = writeUntilTold(url, token);
    // Otherwise a failure below would let it write for ever.
    t.after(() => load.stop());
    await until(() => load.acknowledged.length > 20, 'more than twenty writes are acknowledged');
    const holder = await connect(database);
    await holder.query('begin; lock table content_search in access exclusive mode');
    let isOver = false;
    const underWay = search().finally(() => {
      isOver = true;
    });
    await untilSearchWaits(database);
    const goOn = await silence();
    const body = { title: 't', content: '' };
    const answers = [
      // On a busy machine the server may have ended it before, because it took too long.
      ...(isOver ? [] : [underWay]),
      ...load.underWay,
      search(),
      call(url, 'POST', '/api/content', { token, body }),
      call(url, 'PUT', `/api/content/${id}`, { token, body }),
      call(url, 'GET', '/api/content'),
      call(url, 'GET', `/api/content/${id}`),
      call(url, 'GET', `/api/users?keyword=${username}`, { token }),
      call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } }),
      call(url, 'GET', '/readyz'),
    ];
    // A write that was just being answered may have been done.
    const refused = (await inTime(t, answers)).filter(({ status }) => status !== 200);
    for (const answer of refused) assertUnavailable(answer);
    assert.ok(refused.length >= answers.length - load.underWay.length);
    assert.equal((await call(url, 'GET', '/livez')).status, 200);

    const told = (message: string) => log.filter((line) => JSON.parse(line).msg === message).length;
    const failed = 'listening to other instances failed; trying again';
    await until(() => told(failed) === 1, 'the log tells that listening failed');
    await until(() => told('the database does not answer') === 1, 'the log tells of the begin');
    assert.ok(firingWhile(await scrape({ log })).includes('StoaDatabaseAway'));
    goOn();
    await holder.end();
    await untilAnswered(() => call(url, 'GET', '/readyz'));
    // As many at once as there are connections, and more: each of them came back.
    await untilAnswered(search);
    const searches = await Promise.all(Array.from({ length: 12 }, search));
    assert.deepEqual(
      searches.map(({ status, body: found }) => [status, found.data.total]),
      Array(12).fill([200, 1]),
    );
    const { acknowledged, others } = await load.stop();
    t.diagnostic(`${acknowledged.length} acknowledged, ${others.length} answered 503`);
    for (const answer of others) assertUnavailable(answer);
    const [lost] = await execute<{ count: number }>(
      database,
      'select count(*)::int from unnest($1::bigint[]) as id where id not in (select id from content)',
      [acknowledged],
    );
    assert.equal(lost?.count, 0);
    assert.equal(told(failed), 1);
    await until(
      () => told('listening to other instances works again') === 1,
      'the log tells that listening works',
    );
  });
});

describe('PostgreSQL servers that are slow or silent during the start', () => {
  it('A PostgreSQL server that falls silent after the login fails the connection in time', async (t) => {
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const url = await behindProxy(t, ({ client, server }) => {
      server.on('data', (bytes) => client.write(bytes));
      client.on('data', (bytes: Buffer) => {
        if (!bytes.includes('pg_try_advisory_lock')) return server.write(bytes);
        server.removeAllListeners('data').resume();
        resolve();
      });
    });
    const using = connectForUse(url, 1);
    await isAsked;
    const late = pause(PROMISE_MS, 'it still waits', { ref: false });
    await assert.rejects(Promise.race([using, late]), /Query read timeout/);
  });

  it('A PostgreSQL server that takes longer for a login or an answer than a request waits is waited for by starts and commands', async (t) => {
    let slow = 0;
    let slowAnswers = 0;
    const url = await behindProxy(t, async ({ client, server }) => {
      slow++;
      await pause(ACQUIRE_MS + 500);
      server.pipe(client);
      client.on('data', async (bytes: Buffer) => {
        if (bytes.includes('pg_backend_pid') && slowAnswers++ === 0) await pause(ONCE_SILENT_MS + 500);
        server.write(bytes);
      });
    });
    const database = { kind: 'postgres', url, poolSize: 1 } as const;
    const [, plan] = await Promise.all([migrateStore(database), planMigration(database)]);
    assert.ok(Array.isArray(plan));
    assert.equal(await hasSchema(url), true);
    assert.ok(slow >= 3 && slowAnswers > 1);
  });
});

/** The URL of a new database behind a proxy, which the function makes of each connection. */
async function behindProxy(t: TestContext, join: (ends: Record<'client' | 'server', Socket>) => unknown) {
  const url = new URL(await newPostgresDatabase());
  const { hostname: host, port } = url;
  const proxy = createServer((client) => {
    const server = dial({ host, port: Number(port) });
    t.after(() => server.destroy());
    for (const socket of [client, server]) socket.on('error', () => {});
    join({ client, server });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  t.after(() => proxy.close());
  url.port = String((proxy.address() as AddressInfo).port);
  return url.href;
}

async function inTime(t: TestContext, answers: readonly Promise<Answer>[]): Promise<Answer[]> {
  const elapsed = stopwatch();
  const settled = await Promise.all(
    answers.map(async (each, index) => {
      const answer = await each;
      return { answer, index, took: elapsed() };
    }),
  );
  t.diagnostic(`answered after ${settled.map(({ took }) => Math.round(took)).join(', ')} ms`);
  for (const { index, took } of settled)
    assert.ok(took < PROMISE_MS, `request ${index} was answered after ${took} ms`);
  return settled.map(({ answer }) => answer);
}

/** Four clients that create items, whatever they are answered, until they are stopped. */
function writeUntilTold(url: string, token: string) {
  let goesOn = true;
  const acknowledged: number[] = [];
  const others: Answer[] = [];
  const underWay: Promise<Answer>[] = [];
  const writers = Array.from({ length: 4 }, async (_, index) => {
    while (goesOn) {
      underWay[index] = call(url, 'POST', '/api/content', { token, body: { title: 't', content: '' } });
      const answer = await underWay[index];
      if (answer.status === 200) acknowledged.push(answer.body.data.id);
      else others.push(answer);
    }
  });
  const stop = async () => {
    goesOn = false;
    await Promise.all(writers);
    return { acknowledged, others };
  };
  return { acknowledged, underWay, stop };
}

async function untilAnswered(ask: () => Promise<Answer>): Promise<void> {
  await until(async () => (await ask()).status === 200, 'it is answered with 200');
}

/** The job that indexes waits for the same table. Only a search compares words. */
async function untilSearchWaits(url: string): Promise<void> {
  const sql = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%@@%'";
  await until(async () => (await execute(url, sql)).length > 0, 'the search waits for a lock');
}

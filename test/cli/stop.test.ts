// Needs: processes, and no other file beside it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../src/domain/reason.ts';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';
import { sendOn, type WholeAnswer } from '../support/on-agent.ts';
import { placeAt } from '../support/place.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { sendRaw } from '../support/raw.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { workersOf } from '../support/workers.ts';

const CLIENTS = 24;
const LONGEST_STOP_MS = 10_000;

describe('The stop of a service', { concurrency: true }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`A service stopped by ${signal} under load answers every request that it took, and exits with 0`, async (t) => {
      const settings = await sqlite.settings(t);
      const service = await startProcess(t, settings);
      const { username, token } = await newAccount(service.url);
      const login = { username, password: PASSWORD };
      const ids: number[] = [];
      const served = new Set<number>();
      const clients = Array.from({ length: CLIENTS }, (_, index) => {
        // Most keep their connection, as pools do; some sign in, which takes long; some only read.
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        t.after(() => agent.destroy());
        const send = async (method: string, path: string, body?: unknown) => {
          const answer = await sendOn(agent, service.url, method, path, token, body);
          served.add(index);
          return answer;
        };
        if (index % 8 === 0) return untilRefused(() => send('POST', '/api/auth/login', login));
        if (index % 4 === 0) return untilRefused(() => send('GET', '/api/content?per_page=5'));
        return untilRefused(async () => {
          const answer = await send('POST', '/api/content', { title: 'kept', content: 'kept' });
          ids.push(answer.body.data.id);
          return answer;
        });
      });
      // On a busy machine a connection that the service has not accepted yet is reset where it stops to listen.
      await until(() => served.size === CLIENTS, 'each client was served');
      await sleep(200);
      const elapsed = stopwatch();
      const stopped = service.stop(signal);
      // As `npm start` passes on the Ctrl-C that its terminal has sent to the service too.
      while (!service.stdout().includes('"msg":"stopping"')) await sleep(1);
      service.child.kill(signal);
      const code = await stopped;
      const seconds = elapsed() / 1000;
      const answered = await Promise.all(clients);

      assert.equal(code, 0, service.stdout());
      assert.ok(seconds < 10, `took ${seconds} s`);
      assert.deepEqual(answered.map(({ broken }) => broken).filter(Boolean), []);
      const sum = answered.reduce((total, { count }) => total + count, 0);
      t.diagnostic(`${sum} answers, stopped in ${seconds.toFixed(2)} s`);

      const [{ items } = {}] = await placeAt(settings).sql('SELECT count(*) AS items FROM content');
      assert.equal(items, ids.length, 'each write that was answered is there, and no other');
    });
  }

  it('Workers whose terminal is closed finish what they have begun, although each of them gets the signal', async (t) => {
    const service = await startProcess(t, { ...(await sqlite.settings(t)), WORKERS: '2' });
    await until(() => workersOf(service).length === 2, 'both workers live');
    const { token } = await newAccount(service.url);
    const headers = { authorization: `Bearer ${token}` };
    const stream = await fetch(`${service.url}/api/events`, { headers });
    for (const worker of workersOf(service)) process.kill(worker, 'SIGHUP');
    assert.equal(await service.stop('SIGHUP'), 0, service.stdout());
    assert.match(await stream.text(), /^retry: 3000\nid: /);
  });

  it('A service whose log has no room on the disk serves, and stops in order', async (t) => {
    const child = spawn('sh', ['-c', `exec '${process.execPath}' '${MAIN}' serve > /dev/full`], {
      env: { PATH: process.env.PATH, ...(await sqlite.settings(t)), PORT: '0', LOG_LEVEL: 'debug' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    let greeting = '';
    child.stderr.on('data', (chunk: Buffer) => {
      greeting += chunk.toString();
    });
    const urlIn = () => /listening +(http:\S+)/.exec(greeting)?.[1];
    await until(() => urlIn() !== undefined || child.exitCode !== null, 'the service greets');
    for (let request = 0; request < 3; request++)
      assert.equal((await call(urlIn() ?? '', 'GET', '/livez')).status, 200, greeting);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], greeting);
  });

  it('A service that is asked to stop waits for no idle connection, ends its streams of events at once, and exits with 0', async (t) => {
    const service = await startProcess(t, await sqlite.settings(t));
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    await sendOn(agent, service.url, 'GET', '/livez', '');
    const { token } = await newAccount(service.url);
    const headers = { authorization: `Bearer ${token}` };
    const streams = await Promise.all([1, 2].map(() => fetch(`${service.url}/api/events`, { headers })));
    const ended = streams.map((each) => each.text());
    const elapsed = stopwatch();
    assert.equal(await service.stop('SIGTERM'), 0, service.stdout());
    assert.ok(elapsed() < 3_000);
    for (const text of await Promise.all(ended)) assert.match(text, /^retry: 3000\nid: /);
  });

  it('A service that is asked to stop ends within ten seconds although a request never does', async (t) => {
    const service = await startedWithEndlessRequest(t);
    assert.equal(await service.stop('SIGTERM'), 1, 'by itself');
    // The time that it gave the request, as the service says it: no clock of a busy machine decides.
    const [, given] = /killed by timeout \((\d+)ms\)/.exec(service.stdout()) ?? [];
    assert.ok(Number(given) <= LONGEST_STOP_MS, service.stdout());
  });

  it('A service that is asked to stop by another signal too, ends at once', async (t) => {
    const service = await startedWithEndlessRequest(t);
    const stopped = service.stop('SIGTERM');
    service.child.kill('SIGINT');
    assert.equal(await stopped, 1);
    assert.match(service.stdout(), /"msg":"asked to stop once more; ending at once"/);
  });

  it('A service that is asked to stop twice, a second apart, ends at once', async (t) => {
    const service = await startedWithEndlessRequest(t);
    const stopped = service.stop('SIGTERM');
    await until(() => service.stdout().includes('"msg":"stopping"'), 'the service stops');
    await sleep(1_500);
    service.child.kill('SIGTERM');
    assert.equal(await stopped, 1);
    assert.match(service.stdout(), /"msg":"asked to stop once more; ending at once"/);
  });
});

/** A service that works on a request whose body never ends. */
async function startedWithEndlessRequest(t: TestContext): Promise<ServiceProcess> {
  const service = await startProcess(t, await sqlite.settings(t));
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const socket = sendRaw(t, service.url, `${head}Content-Length: 100\r\n\r\n{`);
  await once(socket, 'connect');
  // The service answers another client, so it has taken the connection that came before.
  assert.equal((await call(service.url, 'GET', '/livez')).status, 200);
  return service;
}

/** Sends one request after another until no connection is taken any more, or something else goes wrong. */
async function untilRefused(send: () => Promise<WholeAnswer>): Promise<{ count: number; broken?: unknown }> {
  for (let count = 0; ; count++) {
    try {
      const { status, body } = await send();
      assert.equal(status, 200, JSON.stringify(body));
    } catch (error) {
      return hasCode(error, 'ECONNREFUSED') ? { count } : { count, broken: error };
    }
  }
}

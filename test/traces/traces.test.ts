import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call, login, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { attributesOf, startCollector } from '../support/collector.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { startMailServer } from '../support/mail-server.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { type RunningService, startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

const SERVER = 2;
const CLIENT = 3;
const AWAY = 'the collector of traces takes nothing; what waits too long is dropped';
/** So many spans of each name come from what the first test does. */
const EXPECTED = {
  'POST /api/content': 2,
  'content.create': 2,
  'GET /api/content/:id': 1,
  'GET /api/users': 1,
  GET: 1,
  'send mail': 1,
  'send webhook': 3,
};
const newTraceId = () => randomBytes(16).toString('hex');
const newSpanId = () => randomBytes(8).toString('hex');

function linesOf({ log }: RunningService, message: string): number {
  return log.filter((line) => JSON.parse(line).msg === message).length;
}

onEveryEngine('Traces', (engine) => {
  it('A request has a span with its operations below it, goes on with the trace of its caller, and tells nothing of people', async (t) => {
    const [collector, mails, receiver] = [
      await startCollector(t),
      await startMailServer(t),
      await startReceiver(t),
    ];
    const service = await startService(t, engine, {
      ...mails.settings,
      WEBHOOK_PRIVATE: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=sesame%20open',
    });
    const { url } = service;
    const [admin, member] = [await newWithRole(service, 'admin'), await newAccount(url)];
    await call(url, 'POST', '/api/webhooks', {
      token: admin.token,
      body: { url: receiver.url, events: ['content.created'] },
    });
    const { token } = await login(url, member.username);
    const [traceId, parent, unsampled] = [newTraceId(), newSpanId(), newTraceId()];
    const create = (traceparent: string) =>
      call(url, 'POST', '/api/content', {
        token,
        headers: { traceparent, tracestate: 'vendor=1' },
        body: { title: 'private', content: 'private' },
      });
    const { body } = await create(`00-${traceId}-${parent}-01`);
    await create(`00-${unsampled}-${parent}-00`);
    await create(`00-${'0'.repeat(32)}-${parent}-01`);
    await call(url, 'GET', `/api/content/${body.data.id}`, { token });
    await call(url, 'GET', `/api/users?keyword=${member.username}`, { token });
    await fetch(`${url}/nowhere/${member.username}`);
    await call(url, 'POST', '/api/auth/password/forgotten', { body: { email: member.email } });
    await mails.nextTo(member.email);
    await receiver.until(3);
    const named = (name: string) => collector.spans().filter((span) => span.name === name);
    await until(
      () => Object.entries(EXPECTED).every(([name, count]) => named(name).length >= count),
      'the collector has the spans',
    );
    await service.stop();

    const spans = collector.spans();
    const [span, ...others] = named('POST /api/content');
    assert.ok(span);
    assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [traceId, parent, SERVER]);
    assert.deepEqual(attributesOf(span), {
      'http.request.method': 'POST',
      'http.route': '/api/content',
      'http.response.status_code': 200,
    });
    assert.equal(others.length, 1, 'what is not sampled is not sent');
    assert.notEqual(others[0]?.traceId, '0'.repeat(32));
    assert.ok(!spans.some((each) => each.traceId === unsampled));
    const [operation] = named('content.create');
    assert.deepEqual([operation?.traceId, operation?.parentSpanId], [traceId, span.spanId]);
    for (const name of ['GET /api/content/:id', 'GET /api/users', 'GET'])
      assert.equal(named(name).length, 1, `${name}: ${spans.map((each) => each.name)}`);
    assert.ok(named('send mail').length >= 1);
    const sent = named('send webhook');
    assert.deepEqual([sent.length, sent[0]?.kind, sent[0]?.parentSpanId ?? ''], [3, CLIENT, '']);
    const [delivered] = receiver.received;
    const traceparents = sent.map((each) => `00-${each.traceId}-${each.spanId}-01`);
    assert.ok(traceparents.includes(String(delivered?.headers.traceparent)));

    assert.ok(collector.headers.every((headers) => headers['x-key'] === 'sesame open'));
    const raw = collector.raw();
    for (const secret of [PASSWORD, token, member.username, member.email, 'private', receiver.url])
      assert.ok(!raw.includes(secret), secret);
  });
});

onOneEngine('Traces to a collector', (engine) => {
  it('A collector that takes nothing changes no answer, is told in the log once, and is told when it is back', async (t) => {
    const collector = await startCollector(t);
    collector.answer(400);
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` };
    const service = await startService(t, engine, settings);
    const { token } = await newAccount(service.url);
    while (collector.headers.length < 2) {
      await newItem(service.url, token);
      await pause(100);
    }
    await until(() => linesOf(service, AWAY) > 0, 'the log tells that the collector takes nothing');
    collector.answer(200);
    while (linesOf(service, 'the collector of traces takes them again') === 0) {
      await newItem(service.url, token);
      await pause(100);
    }
    assert.equal(linesOf(service, AWAY), 1);
  });

  it('A span that waits to be sent is sent when the service stops', async (t) => {
    const collector = await startCollector(t);
    const service = await startService(t, engine, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await fetch(`${service.url}/nowhere`);
    await service.stop();
    assert.ok(collector.spans().some(({ name }) => name === 'GET'));
  });

  it('A collector that never answers holds up no request, and the stop by two seconds at most', async (t) => {
    const collector = await startCollector(t);
    collector.answer(undefined);
    const service = await startService(t, engine, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { token } = await newAccount(service.url);
    await until(() => collector.headers.length > 0, 'the collector gets traces');
    // These wait for the end of what is being sent. Nobody may try to send them after the stop.
    for (let items = 0; items < 5; items++) await newItem(service.url, token);
    const took = stopwatch();
    await service.stop();
    assert.ok(took() < 4_000, `${took()} ms`);
  });

  it('A fault has a failed span and operation, its line in the log names the trace, and a refusal is no fault', async (t) => {
    const collector = await startCollector(t);
    const before = (operation: string) => {
      if (operation === 'content.create') throw new Error('broken');
    };
    const service = await startService(
      t,
      engine,
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' },
      { wrap: (store) => observed(store, { before }) },
    );
    const { token } = await newAccount(service.url);
    const sampled = { traceparent: `00-${newTraceId()}-${newSpanId()}-01` };
    const failed = await call(service.url, 'POST', '/api/content', {
      token,
      headers: sampled,
      body: { title: 't', content: 'c' },
    });
    assert.equal(failed.status, 500);
    const refused = await call(service.url, 'DELETE', '/api/content/999', { token, headers: sampled });
    assert.equal(refused.status, 404);
    const names = () => new Set(collector.spans().map(({ name }) => name));
    await until(
      () => names().isSupersetOf(new Set(['POST /api/content', 'content.create', 'DELETE /api/content/:id'])),
      'the collector has the spans',
    );
    await service.stop();
    const codes = Object.fromEntries(collector.spans().map(({ name, status }) => [name, status.code ?? 0]));
    const [line = ''] = service.log.filter((each) => JSON.parse(each).msg === 'request failed');
    assert.equal(JSON.parse(line).trace_id, sampled.traceparent.slice(3, 35));
    const { 'POST /api/content': request, 'content.create': operation, ...others } = codes;
    assert.deepEqual([request, operation], [2, 2]);
    assert.ok(Object.keys(others).includes('DELETE /api/content/:id'));
    assert.deepEqual([...new Set(Object.values(others))], [0]);
  });
});

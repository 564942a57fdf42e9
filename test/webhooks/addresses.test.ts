import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { pauseAfter, retryAfterMs } from '../../src/webhooks/backoff.ts';
import { isPublicAddress } from '../../src/webhooks/public-address.ts';
import { send } from '../../src/webhooks/send.ts';
import { type Reach, requireUrl } from '../../src/webhooks/target.ts';
import { startReceiver } from '../support/receiver.ts';

const INTERNET: Reach = { isPrivateAllowed: false };
const ANYWHERE: Reach = { isPrivateAllowed: true };
const NEVER = new AbortController().signal;
const message = (url: string) => ({ url, headers: {}, body: '{"type":"test"}' });

it('Only addresses of the Internet are public', () => {
  const isPrivate = [
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fd00::1', 'ff02::1', '2002:7f00:1::'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '2001:db8::1', '::127.0.0.1', 'fe80::1%lo'],
  ];
  for (const address of isPrivate) assert.equal(isPublicAddress(address), false, address);
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])
    assert.equal(isPublicAddress(address), true, address);
});

it('A webhook is refused whose URL has a private address, however it is spelt', () => {
  const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::1]', '[::ffff:7f00:1]'];
  for (const host of [...hosts, '１２７.0.0.1', '169.254.169.254', '[fe80::1]'])
    assert.throws(
      () => requireUrl(`https://${host}/`, INTERNET),
      { message: /address of the Internet/ },
      host,
    );
  for (const url of ['http://example.org/', 'ftp://example.org/', '/hook', 'https://a:b@example.org/'])
    assert.throws(() => requireUrl(url, INTERNET), { name: 'Failure' }, url);
  requireUrl('https://example.org/hook', INTERNET);
  requireUrl('http://127.0.0.1:8080/', ANYWHERE);
});

it('A connection goes only to an address that was checked, when DNS changes its mind and when a URL has one', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  let asked = 0;
  const resolve = async () => {
    asked++;
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const named = message(`http://rebinding.example:${port}/`);
  const secured = message(`https://rebinding.example:${port}/`);
  assert.deepEqual(await send(secured, { ...INTERNET, resolve }, NEVER), { error: 'address_not_allowed' });
  assert.equal(asked, 1);
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]']) {
    const sent = await send(message(`https://${host}:${port}/`), INTERNET, NEVER);
    assert.deepEqual(sent, { error: 'address_not_allowed' }, host);
  }
  assert.equal(receiver.received.length, 0);
  const sent = await send(named, { ...ANYWHERE, resolve }, NEVER);
  assert.deepEqual(sent, { statusCode: 200, retryAfter: undefined });
});

it('A webhook of plain HTTP is sent nothing after WEBHOOK_PRIVATE is turned off', async () => {
  let asked = 0;
  const resolve = async () => {
    asked++;
    return [];
  };
  const sent = await send(message('http://example.org/'), { ...INTERNET, resolve }, NEVER);
  assert.deepEqual([sent, asked], [{ error: 'address_not_allowed' }, 0]);
});

it('An endpoint that hangs, lies about its answer, answers without end or speaks no HTTP costs a bounded time', async (t) => {
  const silent = await startReceiver(t, () => {});
  assert.deepEqual(await send(message(silent.url), ANYWHERE, NEVER, 100), { error: 'timed_out' });

  const endless = await startReceiver(t, (response) => {
    response.writeHead(200, { 'content-length': '1000000000' });
    const more = setInterval(() => response.write('x'.repeat(100_000)), 1);
    response.on('close', () => clearInterval(more));
  });
  assert.deepEqual(await send(message(endless.url), ANYWHERE, NEVER), {
    statusCode: 200,
    retryAfter: undefined,
  });

  const answers = ['no HTTP at all\r\n\r\n', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, ''];
  for (const answer of answers) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    t.after(() => server.close());
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const sent = await send(message(`http://127.0.0.1:${address.port}/`), ANYWHERE, NEVER);
    assert.ok('error' in sent, JSON.stringify(sent));
  }
});

it('The pauses between attempts double up to four hours, with jitter, and Retry-After is read in both forms', () => {
  assert.deepEqual([pauseAfter(1, 0), pauseAfter(1, 1), pauseAfter(2, 0)], [5_000, 2_500, 10_000]);
  assert.equal(pauseAfter(1_000, 0), 4 * 3_600_000);
  const now = Date.UTC(2030, 0, 1);
  assert.equal(retryAfterMs('120', now), 120_000);
  assert.equal(retryAfterMs('Tue, 01 Jan 2030 00:01:00 GMT', now), 60_000);
  assert.equal(retryAfterMs('999999999', now), 86_400_000);
  assert.equal(retryAfterMs(undefined, now), 0);
  for (const text of ['soon', '-5', 'Tue, 01 Jan 2020 00:00:00 GMT'])
    assert.equal(retryAfterMs(text, now), 0, text);
});

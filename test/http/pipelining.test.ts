import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { newAccount } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { rawGet, rawPost, sendRaw } from '../support/raw.ts';
import { describeOnService } from '../support/suite.ts';

const LAST = rawGet('/livez', 'Connection: close\r\n');

onOneEngine('Requests sent ahead on one connection', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const statusesOf = (answers: string) =>
      [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);

    it('Ten requests sent ahead in one packet are answered in order', async (t) => {
      const { token, username } = await newAccount(service().url);
      const paths = ['/api/users/me', '/livez', '/nothing', '/api/content?keyword=x', '/api/users', '/%'];
      const requests = [...paths, '/readyz', '/api/content/0', '/docs/start.js'].map((path) =>
        rawGet(path, `Authorization: Bearer ${token}\r\n`),
      );
      const answers = await text(sendRaw(t, service().url, requests.join('') + LAST));
      const expected = ['200', '200', '404', '200', '200', '400', '200', '400', '200', '200'];
      assert.deepEqual(statusesOf(answers), expected);
      const [first = ''] = answers.split('HTTP/1.1 ').slice(1);
      assert.ok(first.includes(username));
    });

    it('A request sent ahead sees what the requests before it have done', async (t) => {
      const { token, id } = await newAccount(service().url);
      const body = JSON.stringify({ title: 'T', content: 'C' });
      const signedIn = `Authorization: Bearer ${token}\r\n`;
      const create =
        `POST /api/content HTTP/1.1\r\nHost: x\r\n${signedIn}` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const list = rawGet(`/api/content?author=${id}`);
      const answers = await text(sendRaw(t, service().url, create + list + create + list + LAST));
      assert.deepEqual(statusesOf(answers), ['200', '200', '200', '200', '200']);
      assert.deepEqual(
        [...answers.matchAll(/"total":(\d+)/g)].map(([, total]) => total),
        ['1', '2'],
      );
    });

    for (const [title, broken] of [
      ['is no HTTP', '\0\0\r\n\r\n'],
      [
        'has no HTTP in its body',
        `POST /api/content HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      ],
    ] as const)
      it(`Requests have their own answers where one that follows them ${title}`, async (t) => {
        const { token } = await newAccount(service().url);
        const body = JSON.stringify({ title: 'T', content: 'C' });
        const create = rawPost('/api/content', body.length, token) + body;
        const socket = sendRaw(t, service().url, create + create + broken);
        socket.write(broken);
        const answers = await text(socket);
        assert.deepEqual(statusesOf(answers), ['200', '200', '400']);
        assert.match(answers, /"id":\d+.*"id":\d+.*malformed_request/s);
      });

    it(`A connection may send ${ADMISSION.requestsAhead} requests ahead, and ends when it sends more`, async (t) => {
      const most = rawGet('/livez').repeat(ADMISSION.requestsAhead);
      const served = await text(sendRaw(t, service().url, most + LAST));
      assert.equal(statusesOf(served).length, ADMISSION.requestsAhead + 1);
      const socket = sendRaw(t, service().url, rawGet('/livez') + most + LAST);
      const refused = await text(socket).catch(() => '');
      assert.equal(refused, '');
    });

    for (const [title, path] of [
      ['no URL', '/%'],
      ['too long', `/api/content/${'9'.repeat(LIMITS.pathPart + 1)}`],
    ] as const)
      it(`A connection that sends more requests ahead whose path is ${title} ends too`, async (t) => {
        const bytes = rawGet(path).repeat(ADMISSION.requestsAhead + 2);
        assert.equal(await text(sendRaw(t, service().url, bytes + LAST)).catch(() => ''), '');
      });

    it('A thousand requests in one packet reach no route once their connection has ended', async (t) => {
      let handedOver = 0;
      service().server.on('request', ({ url }) => {
        if (url === '/livez?many') handedOver++;
      });
      await text(sendRaw(t, service().url, rawGet('/livez?many').repeat(1_000))).catch(() => '');
      assert.equal(handedOver, ADMISSION.requestsAhead + 2);
    });
  }),
);

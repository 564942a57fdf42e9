import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { LIMITS } from '../../src/http/limits.ts';
import { newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { rawGet, sendRaw } from '../support/raw.ts';
import { describeOnService } from '../support/suite.ts';

const LAST = rawGet('/livez', 'Connection: close\r\n');

onEveryEngine('Requests sent ahead on one connection', (engine) =>
  describeOnService(engine, 'of one service', (service) => {
    const statusesOf = (answers: string) =>
      [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);

    it('are answered in their order, ten of them in one packet', async (t) => {
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

    it('see what the requests before them have done', async (t) => {
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

    it(`are all served when ${LIMITS.requestsAhead} wait, and end the connection when more do`, async (t) => {
      const most = rawGet('/livez').repeat(LIMITS.requestsAhead);
      const served = await text(sendRaw(t, service().url, most + LAST));
      assert.equal(statusesOf(served).length, LIMITS.requestsAhead + 1);
      const socket = sendRaw(t, service().url, rawGet('/livez') + most + LAST);
      const refused = await text(socket).catch(() => '');
      assert.equal(refused, '');
    });

    it('reach nobody once the connection is ended, although a thousand came in one packet', async (t) => {
      let handedOver = 0;
      service().server.on('request', ({ url }) => {
        if (url === '/livez?many') handedOver++;
      });
      await text(sendRaw(t, service().url, rawGet('/livez?many').repeat(1_000))).catch(() => '');
      assert.equal(handedOver, LIMITS.requestsAhead + 2);
    });
  }),
);

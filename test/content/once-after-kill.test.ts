// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { PLACES } from '../support/place.ts';
import { startProcess } from '../support/process.ts';
import { rawPost, sendRaw } from '../support/raw.ts';
import { until } from '../support/until.ts';

const ITEM = { title: 'Once', content: 'text' };
const REQUESTS = [
  ['/api/content', ITEM],
  ['/api/content/bulk', { operations: [{ action: 'create', item: ITEM }] }],
] as const;

for (const { name, newPlace } of PLACES)
  describe(`Requests with a key before a kill, on ${name}`, () => {
    it('A request that was committed when kill -9 came is not made again, and is answered after the start', async (t) => {
      const place = await newPlace(t);
      const settings = { DATABASE_URL: place.url };
      const killed = await startProcess(t, settings);
      const { token } = await newAccount(killed.url);
      // Nobody reads these answers.
      for (const [index, [path, item]] of REQUESTS.entries()) {
        const body = JSON.stringify(item);
        const head = rawPost(path, body.length, token).replace(
          '\r\n\r\n',
          `\r\nIdempotency-Key: "${index}"\r\n\r\n`,
        );
        sendRaw(t, killed.url, head + body);
      }
      const committed = () => place.sql('SELECT key_hash FROM idempotency_keys');
      await until(async () => (await committed()).length >= REQUESTS.length, 'the requests are committed');
      await killed.stop('SIGKILL');

      const { url } = await startProcess(t, settings);
      const made = [];
      for (const [index, [path, body]] of REQUESTS.entries()) {
        const answer = await call(url, 'POST', path, {
          token,
          body,
          headers: { 'idempotency-key': `"${index}"` },
        });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        const { id } = answer.body.data.results?.[0] ?? answer.body.data;
        const item = (await call(url, 'GET', `/api/content/${id}`)).body;
        if (index === 0) assert.deepEqual(answer.body, item);
        made.push(id);
      }
      const list = await call(url, 'GET', '/api/content');
      assert.deepEqual(
        list.body.data.items.map(({ id }: { id: number }) => id),
        made.sort((a, b) => a - b),
      );
    });
  });

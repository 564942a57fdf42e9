import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../src/http/json.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { describeOnService } from '../support/suite.ts';

const SIZE = LIMITS.contentBody;
const fill = (part: string) => part.repeat(Math.floor(SIZE / part.length));

/** Bodies of 1.2 MB that JSON.parse would work on for long, or would build much of. */
const DEAR: Record<string, string> = {
  'nested arrays': fill('['),
  'nested objects': fill('{"a":'),
  'arrays side by side': `[${fill('[],').slice(0, -3)}]`,
  numbers: `[${fill('1,').slice(0, -3)}]`,
  members: `{${fill('"a":1,').slice(0, -3)}}`,
  colons: fill(':'),
  quotes: fill('"'),
};

describe('Of a body that is too deep or has too many parts', () => {
  for (const [title, json] of Object.entries(DEAR))
    it(`nothing is built before it is refused: ${title}`, (t) => {
      const parse = t.mock.method(JSON, 'parse');
      assert.throws(() => parseJson(Buffer.from(json)), /^Failure: The body (is|has) /);
      assert.equal(parse.mock.callCount(), 0);
    });
});

onEveryEngine('The answer to a body with many mistakes', (engine) =>
  describeOnService(engine, 'of one service', (service) => {
    const sizeOf = (value: unknown) => JSON.stringify(value).length;

    it('names 32 of them', async () => {
      const { token } = await newAccount(service().url);
      const body = { title: 'T', content: 'C', tags: Array.from({ length: 900 }, (_, index) => index) };
      const answer = await call(service().url, 'POST', '/api/content', { token, body });
      assert.equal(answer.status, 400);
      assert.equal(answer.body.data.fields.length, 32);
      assert.ok(sizeOf(answer.body) < 4_096, `${sizeOf(answer.body)} bytes`);
    });

    it('repeats no long name that the body has', async () => {
      const { token } = await newAccount(service().url);
      const long = 'x'.repeat(20_000);
      for (const body of [
        `{"${long}":1,"${long}":2}`,
        `{"${long}":1}`,
        `{"username":{"${long}":"\\u0000"}}`,
      ]) {
        const answer = await call(service().url, 'PUT', '/api/users/me', { token, body });
        assert.ok(['body', 'username'].includes(answer.body.data.fields[0].field));
        assert.ok(sizeOf(answer.body) < 512, `${sizeOf(answer.body)} bytes`);
      }
    });

    it('has links without the parameters that the path ignores', async () => {
      const { token } = await newAccount(service().url);
      const query = `?keyword=a%26b&unknown=${'%22'.repeat(4_000)}`;
      const { headers } = await call(service().url, 'GET', `/api/users${query}`, { token });
      const link = (rel: string) => `</api/users?keyword=a%26b&per_page=20&page=1>; rel="${rel}"`;
      assert.equal(headers.get('link'), `${link('first')}, ${link('last')}`);
    });
  }),
);

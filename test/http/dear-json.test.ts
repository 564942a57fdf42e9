import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesContent } from '../../src/content/body-contract.ts';
import { parseJson } from '../../src/http/json.ts';
import { notJson } from '../../src/http/not-json.ts';
import { memberNames } from '../../src/http/structure.ts';
import { call, newAccount } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { leastTime } from '../support/processor-time.ts';
import { describeOnService } from '../support/suite.ts';

const SIZE = takesContent.bodyLimit;
const fill = (part: string) => part.repeat(Math.floor(SIZE / part.length));

/** Of a processor, even if others use its caches. To look at all of the largest body takes 100 ms and more. */
const MOMENT_MS = 50;

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Bodies of 2 MB that JSON.parse would work on for long, or would build much of. */
const DEAR: Record<string, string> = {
  'nested arrays': fill('['),
  'nested objects': fill('{"a":'),
  'arrays side by side': `[${fill('[],').slice(0, -3)}]`,
  numbers: `[${fill('1,').slice(0, -3)}]`,
  members: `{${fill('"a":1,').slice(0, -3)}}`,
};

describe('Bodies that are too deep or have too many parts', () => {
  for (const [title, json] of Object.entries(DEAR))
    it(`A body that is too deep or has too many parts is refused before it is parsed: ${title}`, (t) => {
      const parse = t.mock.method(JSON, 'parse');
      assert.throws(() => parseJson(Buffer.from(json)), /^Failure: The body (is|has) /);
      assert.equal(parse.mock.callCount(), 0);
    });
});

it('A body that is no JSON is answered with the place of its mistake', () => {
  for (const [json, place] of [
    ['[1,\n  ]', 'Look at line 2, column 3'],
    ['[[], ["[1,]", {"a": }]]', 'Look at line 1, column 21'],
    ['{"\\"[,": "at position 1 (line 1 column 2)", "a": nul}', 'Look at line 1, column 50'],
    [' nothing', 'Look at line 1, column 2'],
    ['[1 2]', 'Look at line 1, column 4'],
    ['{"a":"\\u00zz"}', 'Look at line 1, column 7'],
    ['[1,', 'It ends too early, at line 1, column 4'],
    ['{"a":"\\', 'It ends too early, at line 1, column 8'],
  ] as const)
    assert.throws(() => parseJson(Buffer.from(json)), { message: `The body is not valid JSON. ${place}.` });
});

it('The mistake in a large body is found in a moment, or where it is not is told', async () => {
  const escapes = `["${'\\n'.repeat(2_080_000)}",`;
  for (const [json, place] of [
    [escapes, `It ends too early, at line 1, column ${escapes.length + 1}`],
    [`${escapes}x]`, 'Look after character 65536'],
    [`${' '.repeat(4_160_000)}x`, 'Look after character 65536'],
    [`[${'\n'.repeat(4_160_000)}1x]`, 'Look at character 4160003'],
    [`[1,\n"${'x'.repeat(4_160_000)}" "x"]`, 'Look at line 2, column 4160004'],
  ] as const) {
    const text = Buffer.from(json).toString();
    const error = errorOf(() => JSON.parse(text));
    assert.equal(notJson(text, error).message, `The body is not valid JSON. ${place}.`);
    const took = await leastTime(5, () => notJson(text, error));
    assert.ok(took < MOMENT_MS, `${took} ms of a processor`);
  }
});

it('A body of colons or quotes is refused at its first mistake, and almost no names are kept', () => {
  for (const [sign, column] of [
    [':', 1],
    ['"', 3],
  ] as const) {
    const body = Buffer.from(fill(sign));
    assert.throws(() => parseJson(body), new RegExp(`Look at line 1, column ${column}\\.$`));
    assert.ok(memberNames(body).length <= 1, `${memberNames(body).length} names`);
  }
});

onOneEngine('Answers to bodies with many mistakes', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const sizeOf = (value: unknown) => JSON.stringify(value).length;

    it('An answer to many mistakes names 32 of them', async () => {
      const { token } = await newAccount(service().url);
      const body = { title: 'T', content: 'C', tags: Array.from({ length: 900 }, (_, index) => index) };
      const answer = await call(service().url, 'POST', '/api/content', { token, body });
      assert.equal(answer.status, 400);
      assert.equal(answer.body.data.fields.length, 32);
      assert.ok(sizeOf(answer.body) < 4_096, `${sizeOf(answer.body)} bytes`);
    });

    it('An answer to a mistake repeats no long name of the body', async () => {
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

    it('The links of a list leave out parameters that the path ignores', async () => {
      const { token } = await newAccount(service().url);
      const query = `?keyword=a%26b&unknown=${'%22'.repeat(4_000)}`;
      const { headers } = await call(service().url, 'GET', `/api/users${query}`, { token });
      const link = (rel: string) => `</api/users?keyword=a%26b&per_page=20&page=1>; rel="${rel}"`;
      assert.equal(headers.get('link'), `${link('first')}, ${link('last')}`);
    });
  }),
);

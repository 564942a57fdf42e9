import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

const MIB = 1024 * 1024;

/** The three operations that take members, with a body that would succeed. */
interface Subject {
  readonly title: string;
  readonly method: string;
  readonly path: () => string;
  readonly token: () => string | undefined;
  readonly valid: Record<string, unknown>;
  readonly required: readonly string[];
  readonly limit: number;
}

interfaceSuite('Bad bodies', (base) => {
  let author: Account;
  let item: { id: number };
  let total = 0;
  const listed = async () => {
    const path = `/api/content?author=${author.id}`;
    return (await call(base.url, 'GET', path)).body.data.total;
  };
  before(async () => {
    author = await newAccount(base.url);
    item = await newItem(base.url, author.token, { category: 'kept', tags: ['kept'] });
    total = await listed();
  });
  after(async () => {
    const { body } = await call(base.url, 'GET', `/api/content/${item.id}`);
    assert.deepEqual(body.data, item, 'changed nothing');
    assert.equal(await listed(), total, 'made nothing');
    const names = await call(base.url, 'GET', '/api/users?keyword=badbody.example', { token: author.token });
    assert.equal(names.body.data.total, 0, 'registered nobody');
    assert.equal((await call(base.url, 'GET', '/livez')).status, 200, 'the process lives on');
  });

  const content = { title: 'T', content: 'C', category: 'c', tags: ['t'] };
  const subjects: readonly Subject[] = [
    {
      title: 'register',
      method: 'POST',
      path: () => '/api/auth/register',
      token: () => undefined,
      valid: { username: 'badbody', email: 'x@badbody.example', password: 'long enough' },
      required: ['username', 'email', 'password'],
      limit: 16 * 1024,
    },
    {
      title: 'login',
      method: 'POST',
      path: () => '/api/auth/login',
      token: () => undefined,
      valid: { username: 'badbody', password: 'long enough' },
      required: ['username', 'password'],
      limit: 16 * 1024,
    },
    {
      title: 'create',
      method: 'POST',
      path: () => '/api/content',
      token: () => author.token,
      valid: content,
      required: ['title', 'content'],
      limit: 2 * MIB + 64 * 1024,
    },
    {
      title: 'update',
      method: 'PUT',
      path: () => `/api/content/${item.id}`,
      token: () => author.token,
      valid: content,
      required: [],
      limit: 2 * MIB + 64 * 1024,
    },
  ];

  for (const { title, method, path, token, valid, required, limit } of subjects) {
    const send = (body: unknown, headers: Record<string, string> = {}) =>
      call(base.url, method, path(), { token: token(), body, headers });
    const [first = ''] = Object.keys(valid);
    const json = JSON.stringify(valid);
    const withRaw = (member: string) => `{${member},${json.slice(1)}`;

    for (const field of required)
      it(`A body for ${title} without ${field} gets 400 that names it`, async () => {
        const answer = await send({ ...valid, [field]: undefined });
        assertFailure(answer, 400, 'validation_failed', { field, rule: 'required' });
      });

    for (const field of Object.keys(valid))
      for (const value of field === 'tags'
        ? [null, 'text', 1, { 0: 'a' }, true]
        : [null, 1, true, ['text'], { text: 1 }, 1e308])
        it(`A body for ${title} with ${field} = ${JSON.stringify(value)} gets 400, because types are not coerced`, async () => {
          assertFailure(await send({ ...valid, [field]: value }), 400, 'validation_failed', {
            field,
            rule: 'type',
          });
        });

    if ('tags' in valid)
      for (const tag of [null, 1, ['t'], {}])
        it(`A body for ${title} with the tag ${JSON.stringify(tag)} gets 400 that names it`, async () => {
          const answer = await send({ ...valid, tags: ['ok', tag] });
          assertFailure(answer, 400, 'validation_failed', { field: 'tags.1', rule: 'type' });
        });

    for (const body of ['null', '1', '"text"', '[]', 'true', '[{}]'])
      it(`A body for ${title} that is ${body} gets 400`, async () => {
        assertFailure(await send(body), 400, 'validation_failed', { field: 'body', rule: 'type' });
      });

    it(`An empty body for ${title} gets 400`, async () => {
      assertFailure(await send(undefined), 400, 'validation_failed', { field: 'body', rule: 'type' });
      assertFailure(await send(''), 400, 'validation_failed', { field: 'body', rule: 'type' });
    });

    for (const broken of [
      json.slice(0, -1),
      `${json}}`,
      `${json} ${json}`,
      json.replaceAll('"', "'"),
      `{${first}:"x"}`,
      `${json.slice(0, -1)},}`,
      `/* */${json}`,
      '{"a":NaN}',
      '{"a":01}',
      '{"a":"\t"}',
      '{"a":"\\x"}',
      `\ufeff${json}`,
      ' ',
    ])
      it(`A body for ${title} that is no JSON gets 400: ${JSON.stringify(broken)}`, async () => {
        assertFailure(await send(broken), 400, 'malformed_request');
      });

    it(`A body for ${title} that is no JSON is answered with the place of its mistake, not with its text`, async () => {
      const wrong: [body: string, where: string][] = [
        [`{\n  "${first}": "secret",\n  "more" 1\n}`, 'Look at line 3, column 10.'],
        [json.slice(0, -1), `It ends too early, at line 1, column ${json.length}.`],
        ['{"a":secret}', 'Look at line 1, column 6.'],
        ['{"a":"\\x"}', 'Look at line 1, column 7.'],
        [`{"${'x'.repeat(3_000)}":}`, 'Look at line 1, column 3005.'],
      ];
      for (const [body, where] of wrong)
        assert.equal((await send(body)).body.message, `The body is not valid JSON. ${where}`);
    });

    for (const [name, value] of [
      ['NUL', '"a\\u0000b"'],
      ['a lone high surrogate', '"a\\ud800b"'],
      ['a lone low surrogate', '"a\\udc00b"'],
      ['surrogates in the wrong order', '"\\udc00\\ud800"'],
    ]) {
      it(`A body for ${title} with ${name} gets 400 that names the member`, async () => {
        const rest = JSON.stringify({ ...valid, [first]: undefined }).slice(1);
        const answer = await send(`{"${first}":${value},${rest}`);
        assertFailure(answer, 400, 'validation_failed', { field: first, rule: 'storable' });
      });
      it(`A body for ${title} may have ${name} in an unknown member`, async () => {
        for (const unknown of [`"other":[{"deep":${value}}]`, `${value}:1`]) {
          const answer = await send(`{${unknown},${JSON.stringify({ ...valid, [first]: 0 }).slice(1)}`);
          assertFailure(answer, 400, 'validation_failed', { field: first, rule: 'type' });
          assert.equal(answer.body.data.fields.length, 1, 'nothing else is wrong');
        }
      });
    }

    it(`A body for ${title} with a member twice gets 400 that names it, however it is spelled`, async () => {
      const escaped = `"\\u00${first.charCodeAt(0).toString(16)}${first.slice(1)}"`;
      for (const name of [`"${first}"`, escaped, `"${first}" `])
        assertFailure(await send(withRaw(`${name}:"x"`)), 400, 'validation_failed', {
          field: first,
          rule: 'unique',
        });
      assertFailure(await send(withRaw('"o":{"a":1,"a":1}')), 400, 'validation_failed', { field: 'a' });
    });

    it(`A body for ${title} with __proto__ gets 400, and the prototype stays as it was`, async () => {
      for (const member of ['"__proto__":{"x":1}', '"__pr\\u006fto__":1', '"o":{"__proto__":null}'])
        assertFailure(await send(withRaw(member)), 400, 'validation_failed', { field: '__proto__' });
      const harmless = { constructor: { prototype: { role: 'admin' } }, toString: 1, hasOwnProperty: null };
      const missing = await send(harmless);
      assert.equal(missing.status, 400);
    });

    it(`A body for ${title} that is no UTF-8 gets 400`, async () => {
      for (const bytes of [
        [0xff],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82],
      ]) {
        const body = Buffer.concat([Buffer.from(`{"${first}":"`), Buffer.from(bytes), Buffer.from('"}')]);
        assertFailure(await send(body), 400, 'malformed_request');
      }
      assertFailure(await send(Buffer.from(json, 'utf16le')), 400, 'malformed_request');
    });

    it(`A body for ${title} that is nested too deep or has too many parts gets 400`, async () => {
      for (const depth of [17, 500, 1900]) {
        const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
        assertFailure(await send(withRaw(`"deep":${deep}`)), 400, 'malformed_request');
        assertFailure(await send(deep), 400, 'malformed_request');
      }
      if (limit < MIB) return;
      assertFailure(
        await send(`{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
        400,
        'malformed_request',
      );
      assertFailure(await send({ ...valid, parts: Array(10_001).fill(0) }), 400, 'malformed_request');
      assertFailure(await send({ ...valid, tags: Array(10_001).fill(0) }), 400, 'malformed_request');
    });

    it(`A body for ${title} with a huge number in place of a text gets 400`, async () => {
      for (const number of ['1e999', '-1e999', `1${'0'.repeat(400)}`, '1e-999', '9007199254740993']) {
        const answer = await send(JSON.stringify({ ...valid, [first]: 0 }).replace(':0', `:${number}`));
        assertFailure(answer, 400, 'validation_failed', { field: first, rule: 'type' });
      }
    });

    it(`A body for ${title} larger than ${limit} bytes gets 413, and one of ${limit} bytes does not`, async () => {
      const wrong = JSON.stringify({ ...valid, [first]: 0 });
      const padded = (length: number) => wrong.padEnd(length, ' ');
      assertFailure(await send(padded(limit + 1)), 413, 'body_too_large');
      assertFailure(await send(padded(4 * MIB)), 413, 'body_too_large');
      assertFailure(await send(padded(limit)), 400, 'validation_failed', { field: first, rule: 'type' });
    });

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'text/json',
      'application/jsonx',
      'garbage',
      '',
    ])
      it(`A body for ${title} with the content type ${JSON.stringify(type)} gets 415`, async () => {
        assertFailure(await send(json, { 'content-type': type }), 415, 'unsupported_media_type');
      });

    it(`A body for ${title} that is compressed gets 415, and one that says it is not is read`, async () => {
      for (const coding of ['gzip', 'GZIP', 'br', 'identity, gzip']) {
        const answer = await send(gzipSync(json), { 'content-encoding': coding });
        assertFailure(answer, 415, 'unsupported_media_type');
        assert.equal(answer.headers.get('accept-encoding'), 'identity');
      }
      const { status, headers } = await send('{"broken', { 'content-encoding': 'Identity' });
      assert.deepEqual([status, headers.get('accept-encoding')], [400, null]);
    });

    it(`A body for ${title} may name the charset in its content type, in any case`, async () => {
      for (const type of [
        'application/json; charset=utf-8',
        'Application/JSON',
        'application/json;charset="UTF-8"',
      ])
        assertFailure(await send('{"broken', { 'content-type': type }), 400, 'malformed_request');
    });
  }

  for (const [title, path] of [
    ['refresh', '/api/auth/refresh'],
    ['logout', '/api/auth/logout'],
  ] as const)
    it(`A bad body for ${title}, which needs none, is refused, and the session remains`, async () => {
      const { token, refreshToken } = await newAccount(base.url);
      const send = (body: unknown, headers = {}) =>
        call(base.url, 'POST', path, { token: title === 'logout' ? token : refreshToken, body, headers });
      assertFailure(await send('{"broken'), 400, 'malformed_request');
      assertFailure(await send('{"a":1,"a":2}'), 400, 'validation_failed', { field: 'a' });
      assertFailure(await send(Buffer.from([0xff])), 400, 'malformed_request');
      assertFailure(await send('x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
      assertFailure(await send({ a: 'x'.repeat(5000) }), 413, 'body_too_large');
      assert.equal((await call(base.url, 'GET', '/api/users/me', { token })).status, 200);
    });
});

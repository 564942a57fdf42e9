import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Account, call, newAccount, newItem, refresh } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

interfaceSuite('Bad ids', (base) => {
  let author: Account;
  before(async () => {
    author = await newAccount(base.url);
  });
  const bodies = { GET: undefined, PUT: { title: 'X' }, DELETE: undefined };

  for (const id of [
    '0',
    '-1',
    '1.5',
    '1.0',
    '01',
    '+1',
    '1e1',
    '0x1',
    'x',
    'null',
    '%20',
    '%201',
    '1%00',
    '%00',
    '٣',
    '1;2',
    "1'--",
    '__proto__',
    'NaN',
    'Infinity',
    '',
  ])
    for (const [method, body] of Object.entries(bodies)) {
      // Without an id, GET asks for the list.
      if (method === 'GET' && id === '') continue;
      it(`${method} /api/content/{id} answers 400 and names the id ${JSON.stringify(id)}`, async () => {
        const path = `/api/content/${encodeURIComponent(decodeURIComponent(id))}`;
        const undocumented = id === '';
        const answer = await call(base.url, method, path, { token: author.token, body, undocumented });
        assertFailure(answer, 400, 'validation_failed', { field: 'id' });
      });
    }

  for (const [method, body] of Object.entries(bodies)) {
    it(`${method} /api/content/{id} answers 404 for an id larger than any`, async () => {
      const safe = Number.MAX_SAFE_INTEGER;
      for (const id of [
        safe,
        safe + 1,
        '9223372036854775808',
        ...[99, 309, 1000, 1025, 8000].map((each) => '9'.repeat(each)),
      ])
        assertFailure(
          await call(base.url, method, `/api/content/${id}`, { token: author.token, body }),
          404,
          'not_found',
        );
    });

    it(`${method} /api/content/{id} answers 400 for an id that is no UTF-8`, async () => {
      for (const id of ['%FF', '%ED%A0%80', '%', '%4', '%GG']) {
        const options = { token: author.token, body, undocumented: true };
        assertFailure(await call(base.url, method, `/api/content/${id}`, options), 400, 'malformed_request');
      }
    });
  }
});

interfaceSuite('Bad queries', (base) => {
  it('A percent sign in a query that is no escape of UTF-8 is taken literally', async () => {
    const { id, token } = await newAccount(base.url);
    const item = await newItem(base.url, token, { title: '100%, 5%x, %FF and a%ED%A0%80b' });
    for (const keyword of ['100%', '5%x', '100%25', '%FF', 'a%ED%A0%80b'])
      assert.deepEqual(
        (await call(base.url, 'GET', `/api/content?author=${id}&keyword=${keyword}`)).body.data.items,
        [item],
        keyword,
      );
  });
});

interfaceSuite('Bad Authorization headers', (base) => {
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Token x',
    'Bearer a b',
    'Bearer,x',
    'bearer\tx',
    'Bearer  x',
  ];
  for (const authorization of headers)
    it(`The Authorization header ${JSON.stringify(authorization)} gets 401 token_missing everywhere`, async () => {
      for (const [method, path] of [
        ['GET', '/api/users'],
        ['GET', '/api/users/me'],
        ['POST', '/api/auth/refresh'],
        ['POST', '/api/auth/logout'],
        ['POST', '/api/content'],
        ['DELETE', '/api/content/1'],
      ] as const) {
        const answer = await call(base.url, method, path, { headers: { authorization } });
        assertFailure(answer, 401, 'token_missing');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="stoa"');
      }
    });

  for (const token of [
    'x',
    'a.b.c',
    '..',
    '...',
    'e30.e30.',
    'null',
    '{}',
    'stoa_rt_',
    `stoa_rt_${'A'.repeat(75)}`,
    'x'.repeat(8000),
    'é',
    '%00',
  ])
    it(`The token ${JSON.stringify(token.slice(0, 20))} gets 401 token_invalid everywhere`, async () => {
      const me = await call(base.url, 'GET', '/api/users/me', { token });
      for (const answer of [me, await refresh(base.url, token)]) {
        assertFailure(answer, 401, 'token_invalid');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="stoa", error="invalid_token"');
      }
    });

  it('The scheme of the Authorization header may have any case', async () => {
    const { token } = await newAccount(base.url);
    for (const authorization of [`bearer ${token}`, `BEARER ${token}`])
      assert.equal(
        (await call(base.url, 'GET', '/api/users/me', { headers: { authorization } })).status,
        200,
      );
  });
});

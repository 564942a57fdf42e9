import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Account, call, newAccount, newName } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { linksOf } from '../support/list.ts';

interfaceSuite('Lists of users', (base) => {
  const family = newName('fam');
  const members: Account[] = [];
  before(async () => {
    for (let each = 0; each < 5; each++) members.push(await newAccount(base.url, `${family}${each}`));
  });
  const list = (query = '') => call(base.url, 'GET', `/api/users${query}`, { token: members[0]?.token });

  it('The user list needs an access token', async () => {
    const answer = await call(base.url, 'GET', '/api/users');
    assertFailure(answer, 401, 'token_missing');
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="stoa"');
  });

  it('The user list shows id, username, email and created_at of each user, and nothing more', async () => {
    const { status, body } = await list(`?keyword=${family}`);
    assert.equal(status, 200);
    assert.equal(body.code, 200);
    assert.deepEqual(Object.keys(body.data).sort(), ['items', 'page', 'per_page', 'total']);
    for (const [index, { id, username, email }] of members.entries()) {
      const { created_at } = body.data.items[index];
      assert.deepEqual(body.data.items[index], { id, username, email, created_at });
      assert.equal(new Date(created_at).toISOString(), created_at);
    }
  });

  it('The user list begins with page 1 of 20 users', async () => {
    const { body } = await list();
    assert.equal(body.data.page, 1);
    assert.equal(body.data.per_page, 20);
    assert.equal(body.data.items.length, Math.min(20, body.data.total));
  });

  it('The user list is ordered by id, and has every user on one page only', async () => {
    const seen: number[] = [];
    for (let page = 1; page <= 3; page++) {
      const { body } = await list(`?keyword=${family}&per_page=2&page=${page}`);
      assert.equal(body.data.total, 5);
      assert.equal(body.data.page, page);
      assert.equal(body.data.per_page, 2);
      seen.push(...body.data.items.map(({ id }: { id: number }) => id));
    }
    assert.deepEqual(
      seen,
      members.map(({ id }) => id),
    );
    const everybody = (await list('?per_page=100')).body.data.items.map(({ id }: { id: number }) => id);
    assert.deepEqual(
      everybody,
      everybody.toSorted((a: number, b: number) => a - b),
    );
  });

  it('A page past the end of the user list has no items and the true total', async () => {
    for (const page of ['2', '1000', '9007199254740991']) {
      const { status, body } = await list(`?keyword=${family}&page=${page}`);
      assert.equal(status, 200);
      assert.deepEqual(body.data, { items: [], total: 5, page: Number(page), per_page: 20 });
    }
    const { body } = await list('?page=9007199254740991');
    assert.deepEqual(body.data.items, []);
    assert.ok(body.data.total >= 5);
  });

  it('The user list lowers per_page to 100 and says so', async () => {
    for (const perPage of ['100', '101', '1000', '99999999999999999999']) {
      const { status, body } = await list(`?per_page=${perPage}`);
      assert.equal(status, 200);
      assert.equal(body.data.per_page, 100);
    }
    assert.equal((await list('?per_page=99')).body.data.per_page, 99);
  });

  for (const parameter of ['page', 'per_page'])
    for (const value of [
      '0',
      '-1',
      '1.5',
      '1.0',
      '1e1',
      '+1',
      '01',
      '0x10',
      '',
      ' 1',
      'one',
      'null',
      '1,2',
      '%00',
      '١',
    ])
      it(`The user list refuses ${parameter}=${JSON.stringify(value)}`, async () => {
        const answer = await list(`?${parameter}=${encodeURIComponent(value).replace('%2500', '%00')}`);
        assertFailure(answer, 400, 'validation_failed', { field: parameter });
      });

  it('The user list refuses a repeated parameter', async () => {
    assertFailure(await list('?page=1&page=2'), 400, 'validation_failed', { field: 'page' });
    assertFailure(await list('?keyword=a&keyword=b'), 400, 'validation_failed', { field: 'keyword' });
  });

  it('The user list ignores unknown parameters', async () => {
    const { status, body } = await list(`?keyword=${family}&sort=email&__proto__=1&constructor=1`);
    assert.equal(status, 200);
    assert.equal(body.data.total, 5);
  });

  it('The user list refuses an unknown view, and filters that only the view for admins has', async () => {
    for (const view of ['AAA', 'Admin', '', 'admin&view=admin'])
      assertFailure(await list(`?view=${view}`), 400, 'validation_failed', { field: 'view' });
    assert.equal((await list('?view=AAA')).body.message, 'view must be "admin".');
    for (const filter of ['role=admin', 'state=active', 'second_factor=true', 'created_after=x'])
      assertFailure(await list(`?${filter}`), 400, 'validation_failed', {
        field: filter.split('=')[0] ?? '',
        rule: 'view',
      });
  });

  it('The user list links to the first, previous, next and last page with the same parameters', async () => {
    const link = (page: number) => `/api/users?keyword=${family}&per_page=2&page=${page}`;
    const query = (page: number) => `?keyword=${family}&per_page=2&page=${page}`;
    assert.deepEqual(linksOf((await list(query(1))).headers), {
      first: link(1),
      next: link(2),
      last: link(3),
    });
    assert.deepEqual(linksOf((await list(query(2))).headers), {
      first: link(1),
      prev: link(1),
      next: link(3),
      last: link(3),
    });
    assert.deepEqual(linksOf((await list(query(3))).headers), {
      first: link(1),
      prev: link(2),
      last: link(3),
    });
    assert.deepEqual(linksOf((await list(query(9))).headers), {
      first: link(1),
      prev: link(3),
      last: link(3),
    });
  });

  it('A link of the user list can be followed when the keyword has special characters', async () => {
    const { headers } = await list(`?keyword=${encodeURIComponent('%&=+ #"<é')}`);
    const { first = '' } = linksOf(headers);
    assert.equal(new URL(first, base.url).searchParams.get('keyword'), '%&=+ #"<é');
    assert.equal((await call(base.url, 'GET', first, { token: members[0]?.token })).status, 200);
  });
});

interfaceSuite('Reading of the own account', (base) => {
  it('The own account shows id, username, email, role and created_at, and false for what is not', async () => {
    const { id, username, email, token } = await newAccount(base.url);
    const { status, body } = await call(base.url, 'GET', '/api/users/me', { token });
    assert.equal(status, 200);
    const { created_at } = body.data;
    const whatIsNot = { email_verified: false, second_factor: false };
    const data = { id, username, email, role: 'member', created_at, ...whatIsNot };
    assert.deepEqual(body, { code: 200, data });
  });

  it('The own account needs an access token', async () => {
    assertFailure(await call(base.url, 'GET', '/api/users/me'), 401, 'token_missing');
  });
});

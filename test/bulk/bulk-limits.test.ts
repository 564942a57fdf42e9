import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Account, type Answer, call, login, newAccount } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { NOW } from '../support/good-request.ts';
import { startService } from '../support/service.ts';

const MIB = 1024 * 1024;
const HOUR = 60 * 60_000;
const ITEM = { title: 'Many', content: 'text' };
const create = (item: object = ITEM) => ({ action: 'create', item });

function bulk(url: string, { token }: Pick<Account, 'token'>, ...operations: unknown[]): Promise<Answer> {
  return call(url, 'POST', '/api/content/bulk', { token, body: { operations } });
}

async function madeBy(url: string, { id, token }: Account): Promise<number> {
  return (await call(url, 'GET', `/api/content?author=${id}`, { token })).body.data.total;
}

it('A request with more writes than are left of the hour takes none, and is made after what Retry-After says', async (t) => {
  const { url, passTime } = await startService(t, sqlite, { WRITES_PER_HOUR: '100' }, { clock: () => NOW });
  const author = await newAccount(url);
  const some = (length: number) => bulk(url, author, ...Array.from({ length }, () => create()));
  assert.equal((await some(97)).status, 200);
  const refused = await some(10);
  assertFailure(refused, 429, 'too_many_requests');
  assert.equal(refused.body.data.index, 3, 'the first that has no room');
  assert.equal(refused.headers.get('retry-after'), String((7 * HOUR) / 100 / 1000));
  assert.equal((await some(3)).status, 200, 'the refused request has taken none');
  const full = await some(10);
  assert.equal(full.body.data.index, 0);
  passTime(Number(full.headers.get('retry-after')) * 1000);
  const again = await some(10);
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(await madeBy(url, author), 110);
});

it('A request with more text than is left of the hour takes neither text nor writes', async (t) => {
  const settings = { WRITES_PER_HOUR: '10', WRITTEN_MB_PER_HOUR: '4' };
  const { url, passTime } = await startService(t, sqlite, settings, { clock: () => NOW });
  const author = await newAccount(url);
  // With its title it counts as a mebibyte.
  const long = create({ ...ITEM, content: 'x'.repeat(MIB - 1024) });
  assert.equal((await bulk(url, author, long, long)).status, 200);
  const refused = await bulk(url, author, long, long, long);
  assertFailure(refused, 429, 'too_many_requests');
  assert.equal(refused.body.data.index, 2);
  assert.equal(refused.headers.get('retry-after'), String(HOUR / 4 / 1000));
  assert.equal((await bulk(url, author, ...Array.from({ length: 8 }, () => create()))).status, 200);
  passTime(HOUR / 2);
  const again = await login(url, author.username);
  assert.equal((await bulk(url, again, long, long, long)).status, 200);
});

it('A request with more than an account may write in an hour says with how many operations it is small enough', async (t) => {
  const settings = { WRITES_PER_HOUR: '8', WRITTEN_MB_PER_HOUR: '1' };
  const { url } = await startService(t, sqlite, settings, { clock: () => NOW });
  const author = await newAccount(url);
  const half = create({ ...ITEM, content: 'x'.repeat(MIB / 2 - 1024) });
  const whole = create({ ...ITEM, title: 't'.repeat(200), content: 'x'.repeat(MIB) });
  for (const [operations, index] of [
    [Array.from({ length: 9 }, () => create()), 8],
    [[half, half, half], 2],
    [[whole, create()], 1],
  ] as const) {
    const refused = await bulk(url, author, ...operations);
    assertFailure(refused, 400, 'limit_reached');
    assert.equal(refused.body.data.index, index);
  }
  assert.equal((await bulk(url, author, whole)).status, 200, 'one text is never too large for the hour');
  assert.equal(await madeBy(url, author), 1);
});

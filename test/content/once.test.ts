import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { type Account, type Answer, call, login, newAccount, newName } from '../support/client.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newFlag, raise, raised } from '../support/flag.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';

const [MINUTE, DAY] = [60_000, 24 * 3_600_000];
const ITEM = { title: 'Once', content: 'Zwölf\n', category: 'c', tags: ['a', 'b'] };
const ONE = { operations: [{ action: 'create', item: ITEM }] };

/** A new key, with quotation marks. */
const newKey = () => `"${newName('key')}"`;

function post(url: string, { token }: Pick<Account, 'token'>, key: string, body: unknown = ITEM, path = '') {
  return call(url, 'POST', `/api/content${path}`, { token, body, headers: { 'idempotency-key': key } });
}

async function totalOf(url: string, { id, token }: Account): Promise<number> {
  return (await call(url, 'GET', `/api/content?author=${id}`, { token })).body.data.total;
}

function assertSame(again: Answer, first: Answer): void {
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.equal(again.headers.get('etag'), first.headers.get('etag'));
}

onEveryEngine('A request with an Idempotency-Key', (engine) => {
  it('A key makes one item of 16 requests at once at two instances, each answered alike or 409', async (t) => {
    const shared = await sameDatabase(t, engine);
    const [one, other] = [await startService(t, shared), await startService(t, shared)];
    const author = await newAccount(one.url);
    for (const [path, body] of [
      ['', ITEM],
      ['', { ...ITEM, content: 'x'.repeat(100_000) }],
      ['/bulk', ONE],
    ] as const) {
      const [key, before] = [newKey(), await totalOf(one.url, author)];
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          post(index % 2 ? one.url : other.url, author, key, body, path),
        ),
      );
      const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
      assert.ok(first);
      for (const each of others)
        if (each.status === 200) assertSame(each, first);
        else {
          assertFailure(each, 409, 'request_in_progress');
          assert.equal(each.headers.get('retry-after'), '1');
        }
      assertSame(await post(one.url, author, key, body, path), first);
      assertSame(await post(other.url, author, key, body, path), first);
      assert.equal(await totalOf(other.url, author), before + 1);
    }
  });

  it('A repetition that another instance makes first counts nothing as stored', async (t) => {
    const shared = await sameDatabase(t, engine);
    let [begun, goOn] = [newFlag(), newFlag()];
    const wrap = (store: Store) =>
      observed(store, {
        before: async (operation) => {
          if (operation !== 'content.create_once' && operation !== 'bulk.change') return;
          raise(begun);
          await raised(goOn);
        },
      });
    const settings = { STORED_MB: '1', TRASH_DAYS: '0' };
    const one = await startService(t, shared, settings);
    const other = await startService(t, shared, settings, { wrap });
    const item = { title: 't', content: 'x'.repeat(1024 * 1024) };
    for (const [path, body] of [
      ['', item],
      ['/bulk', { operations: [{ action: 'create', item }] }],
    ] as const) {
      [begun, goOn] = [newFlag(), newFlag()];
      const [author, key] = [await newAccount(one.url), newKey()];
      const later = post(other.url, author, key, body, path);
      await raised(begun);
      const first = await post(one.url, author, key, body, path);
      raise(goOn);
      assertSame(await later, first);
      const { id } = first.body.data.results?.[0] ?? first.body.data;
      assert.equal((await call(one.url, 'DELETE', `/api/content/${id}`, author)).status, 200);
      assert.equal((await post(other.url, author, newKey(), body, path)).status, 200, 'nothing is stored');
    }
  });

  it('A repetition is answered although the account may write no more, and counts as no write', async (t) => {
    const { url } = await startService(t, engine, { WRITES_PER_HOUR: '2', STORED_MB: '1' });
    const [author, key] = [await newAccount(url), newKey()];
    const item = { title: 't', content: 'x'.repeat(1024 * 1024) };
    const first = await post(url, author, key, item);
    for (let round = 0; round < 3; round++) assertSame(await post(url, author, key, item), first);
    const refused = newKey();
    assertFailure(await post(url, author, refused), 400, 'storage_full');
    assertFailure(await post(url, author, refused), 429, 'too_many_requests');
    assertSame(await post(url, author, key, item), first);
  });

  describeOnService(engine, 'on one service', (service) => {
    it('A repetition gets the same answer after the item, and the name of its author, were changed', async () => {
      const { url } = service();
      const [author, key] = [await newAccount(url), newKey()];
      const { token } = author;
      const first = await post(url, author, key);
      const path = `/api/content/${first.body.data.id}`;
      assert.deepEqual((await call(url, 'GET', path)).body, first.body);
      assert.equal((await call(url, 'PUT', path, { token, body: { title: 'Changed' } })).status, 200);
      assertSame(await post(url, author, key), first);
      const username = newName();
      assert.equal((await call(url, 'PUT', '/api/users/me', { token, body: { username } })).status, 200);
      assertSame(await post(url, author, key), first);
      assert.equal((await call(url, 'DELETE', path, { token })).status, 200);
      assertSame(await post(url, author, key), first);
      assert.equal(await totalOf(url, author), 0);
    });

    it('A repetition of many operations gets the same answer after the items were changed', async () => {
      const { url } = service();
      const [author, key] = [await newAccount(url), newKey()];
      const { token } = author;
      const { id } = (await post(url, author, newKey())).body.data;
      const { id: other } = (await post(url, author, newKey())).body.data;
      const body = {
        operations: [
          { action: 'create', item: ITEM },
          { action: 'update', id, version: 1, change: { title: 'Changed' } },
          { action: 'delete', id: other },
        ],
      };
      const first = await post(url, author, key, body, '/bulk');
      assert.equal((await call(url, 'DELETE', `/api/content/${id}`, { token })).status, 200);
      assertSame(await post(url, author, key, body, '/bulk'), first);
      assert.equal(await totalOf(url, author), 1);
    });

    it('A key with another body or path is refused with 422, and is still good for its own request', async () => {
      const { url } = service();
      const [author, key] = [await newAccount(url), newKey()];
      const first = await post(url, author, key);
      for (const other of [
        { ...ITEM, title: 'Other' },
        { ...ITEM, more: 1 },
        { ...ITEM, tags: ['b', 'a'] },
      ])
        assertFailure(await post(url, author, key, other), 422, 'idempotency_key_reused');
      assertFailure(await post(url, author, key, ONE, '/bulk'), 422, 'idempotency_key_reused');
      assertSame(await post(url, author, key), first);
      assert.equal(await totalOf(url, author), 1);
    });

    it('The same JSON in another spelling is the same request, and so is a key without quotation marks', async () => {
      const { url } = service();
      const [author, key] = [await newAccount(url), newName('key')];
      const first = await post(url, author, key);
      const { title, content, category, tags } = ITEM;
      const spelt = JSON.stringify({ tags, category, content, title }, null, 2).replace('Once', '\\u004fnce');
      assertSame(await post(url, author, `"${key}"`, spelt), first);
      const escaped = await post(url, author, '"a \\"b\\" \\\\"');
      assertSame(await post(url, author, '"a \\"b\\" \\\\"'), escaped);
      assert.notEqual(escaped.body.data.id, first.body.data.id);
    });

    it('Two accounts may choose the same key, and an account shares its keys among its sessions', async () => {
      const { url } = service();
      const [one, other, key] = [await newAccount(url), await newAccount(url), newKey()];
      const first = await post(url, one, key);
      const second = await post(url, other, key);
      assert.equal(second.body.data.author.id, other.id);
      assertSame(await post(url, await login(url, one.username), key), first);
    });

    it('A request that failed is not kept: its key may be sent with a better one', async () => {
      const { url } = service();
      const [author, key] = [await newAccount(url), newKey()];
      const none = { operations: [...ONE.operations, { action: 'delete', id: 999_999 }] };
      assertFailure(await post(url, author, key, none, '/bulk'), 404, 'not_found');
      assertFailure(await post(url, author, key, { title: '' }), 400, 'validation_failed');
      const first = await post(url, author, key);
      assertSame(await post(url, author, key), first);
      assert.equal(await totalOf(url, author), 1);
    });

    it('A key is one text of 1 to 255 printable characters, and any other header is refused', async () => {
      const { url } = service();
      const author = await newAccount(url);
      for (const bad of [
        '',
        '""',
        `"${'x'.repeat(256)}"`,
        'x'.repeat(256),
        '"a',
        'a"',
        'a b',
        '"a", "b"',
        'a, b',
        '"a";p=1',
        '"\\x"',
        '"ä"',
      ])
        assertFailure(await post(url, author, bad), 400, 'malformed_request');
      assert.equal(await totalOf(url, author), 0);
      for (const good of ['x', `"${'y'.repeat(255)}"`, '8e03978e-40d5-43e8-bc93-6894a57f9324', 'a/b:c=~'])
        assertSame(await post(url, author, good), await post(url, author, good));
    });
  });

  describeInTurn(engine, 'one after another', (service) => {
    it('While the first request with a key is under way, another one gets 409, and then the same answer', async () => {
      const [begun, goOn] = [newFlag(), newFlag()];
      const { url, beforeOperations } = service();
      beforeOperations(async (operation) => {
        if (operation !== 'content.create_once') return;
        raise(begun);
        await raised(goOn);
      });
      const [author, key] = [await newAccount(url), newKey()];
      const first = post(url, author, key);
      await raised(begun);
      assertFailure(await post(url, author, key), 409, 'request_in_progress');
      assert.equal((await post(url, author, newKey(), ONE, '/bulk')).status, 200, 'another key');
      raise(goOn);
      const made = await first;
      assertSame(await post(url, author, key), made);
    });

    it('An answer is kept for 24 hours, and then the key makes a new item', async () => {
      const { url, passTime } = service();
      const [author, key] = [await newAccount(url), newKey()];
      const first = await post(url, author, key);
      passTime(DAY - 2 * MINUTE);
      assertSame(await post(url, await login(url, author.username), key), first);
      passTime(3 * MINUTE);
      const later = await post(url, await login(url, author.username), key);
      assert.equal(later.status, 200);
      assert.notEqual(later.body.data.id, first.body.data.id);
      assertSame(await post(url, await login(url, author.username), key), later);
    });

    it('An account has at most 1,000 keys within 24 hours, and none is dropped early', async () => {
      const { url, exec, now, passTime } = service();
      const author = await newAccount(url);
      const key = newKey();
      const first = await post(url, author, key);
      await exec(
        `INSERT INTO idempotency_keys (key_hash, user_id, fingerprint, answer, expires_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)
        SELECT 'k' || i, ${author.id}, '', '', ${now() + DAY} FROM n`,
      );
      const last = await Promise.all(Array.from({ length: 16 }, () => post(url, author, newKey())));
      assert.deepEqual(last.map(({ status }) => status).sort(), [200, ...Array(15).fill(429)]);
      const refused = last.find(({ status }) => status === 429);
      const wait = Number(refused?.headers.get('retry-after'));
      assert.ok(wait > 86_000 && wait <= 86_400, `${wait} s`);
      assertSame(await post(url, author, key), first);
      assert.equal((await post(url, await newAccount(url), newKey())).status, 200);
      passTime(DAY);
      assert.equal((await post(url, await login(url, author.username), newKey())).status, 200);
    });
  });
});

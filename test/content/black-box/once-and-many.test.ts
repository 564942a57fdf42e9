import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newName } from '../../support/client.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { type Caller, requestsTo } from './requests.ts';
import { idsOf, newWord } from './seen.ts';

const BODY = { title: 'once', content: 'text' };

onEveryEngine('Seen from outside, once and many', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, write } = requestsTo(service);
    const newKey = () => ({ 'idempotency-key': `"${newName('key')}"` });
    const countOf = async (author: { id: number }) =>
      (await done(undefined, 'GET', `/api/content?author=${author.id}`)).total;
    const bulk = (who: Caller, operations: unknown, headers: Record<string, string> = {}) =>
      ask(who, 'POST', '/api/content/bulk', { operations }, headers);

    it('A creation that is sent again with its key gets the same answer and makes no second item', async () => {
      const author = await member();
      const key = newKey();
      const first = await ask(author, 'POST', '/api/content', BODY, key);
      await done(author, 'PUT', `/api/content/${first.body.data.id}`, { title: 'changed since' });
      const again = await ask(author, 'POST', '/api/content', BODY, key);
      assert.deepEqual([again.status, again.body], [200, first.body]);
      assert.equal(await countOf(author), 1);
    });

    it('A key with another body is refused and makes nothing, and is separate for each account', async () => {
      const [author, other] = [await member(), await member()];
      const key = newKey();
      const first = await done(author, 'POST', '/api/content', BODY, key);
      const answer = await ask(author, 'POST', '/api/content', { ...BODY, title: 'other' }, key);
      assertFailure(answer, 422, 'idempotency_key_reused');
      const theirs = await done(other, 'POST', '/api/content', BODY, key);
      assert.notEqual(theirs.id, first.id);
      assert.deepEqual([await countOf(author), await countOf(other)], [1, 1]);
    });

    it('Of many creations that are sent at once with one key, one is done and no other is a second one', async () => {
      const author = await member();
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => ask(author, 'POST', '/api/content', BODY, key)),
      );
      const ids = new Set<number>();
      for (const answer of answers)
        if (answer.status === 200) ids.add(answer.body.data.id);
        else assertFailure(answer, 409, 'request_in_progress');
      assert.deepEqual([ids.size, await countOf(author)], [1, 1]);
    });

    it('A creation that is sent again after its item was deleted does not bring the item back', async () => {
      const author = await member();
      const key = newKey();
      const first = await ask(author, 'POST', '/api/content', BODY, key);
      await done(author, 'DELETE', `/api/content/${first.body.data.id}`);
      const again = await ask(author, 'POST', '/api/content', BODY, key);
      assert.deepEqual([again.status, again.body], [200, first.body]);
      assert.equal(await countOf(author), 0);
      assert.equal((await done(author, 'GET', '/api/content/trash')).total, 1);
    });

    it('A key has 1 to 255 characters, and a wrong one makes nothing', async () => {
      const author = await member();
      for (const key of ['""', `"${'k'.repeat(256)}"`, '"open', '"a" "b"', '("a")'])
        assert.equal(
          (await ask(author, 'POST', '/api/content', BODY, { 'idempotency-key': key })).status,
          400,
          key,
        );
      assert.equal(await countOf(author), 0);
      for (const key of [`"${'k'.repeat(255)}"`, 'a-bare-token'])
        await done(author, 'POST', '/api/content', BODY, { 'idempotency-key': key });
      assert.equal(await countOf(author), 2);
    });

    it('A batch is done in its order with a result for each', async () => {
      const author = await member();
      const [word, changed, deleted] = [newWord(), await write(author), await write(author)];
      const { status, body } = await bulk(author, [
        { action: 'create', item: { ...BODY, category: word } },
        { action: 'update', id: changed.id, version: 1, change: { category: word } },
        { action: 'delete', id: deleted.id, version: 1 },
      ]);
      assert.equal(status, 200, JSON.stringify(body));
      const { results } = body.data;
      assert.deepEqual(
        results.map(({ action }: { action: string }) => action),
        ['create', 'update', 'delete'],
      );
      assert.deepEqual([results[1].id, results[1].version, results[2].id], [changed.id, 2, deleted.id]);
      const listed = await done(undefined, 'GET', `/api/content?category=${word}&sort=oldest`);
      assert.deepEqual(idsOf(listed), [changed.id, results[0].id]);
      assert.deepEqual(idsOf(await done(author, 'GET', '/api/content/trash')), [deleted.id]);
    });

    it('A batch has 1 to 100 operations of an account, and with a key is done once', async () => {
      const author = await member();
      const create = { action: 'create', item: BODY };
      assert.equal((await bulk(undefined, [create])).status, 401);
      for (const operations of [
        [],
        Array.from({ length: 101 }, () => create),
        [{ action: 'purge', id: 1 }],
        create,
      ])
        assert.equal((await bulk(author, operations)).status, 400);
      const key = newKey();
      const operations = Array.from({ length: 100 }, () => create);
      const first = await bulk(author, operations, key);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual((await bulk(author, operations, key)).body, first.body);
      assert.equal(await countOf(author), 100);
      assertFailure(await bulk(author, [create], key), 422, 'idempotency_key_reused');
    });
  }),
);

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newName } from '../../support/client.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { describeOnService } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { listen } from './event-stream.ts';
import { requestsTo } from './requests.ts';

onEveryEngine('Seen from outside, live events', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, editor, write } = requestsTo(service);

    it('An author hears each change of an item once, in order, with rising numbers', async (t) => {
      const author = await member();
      const listener = await listen(service().url, author);
      t.after(listener.close);
      const { id } = await write(author);
      await done(author, 'PUT', `/api/content/${id}`, { title: 'two' });
      await done(author, 'DELETE', `/api/content/${id}`);
      await done(author, 'POST', `/api/content/trash/${id}/restore`);
      await done(author, 'DELETE', `/api/content/${id}`);
      await done(author, 'DELETE', `/api/content/trash/${id}`);
      await listener.heard('content.purged', id);
      assert.deepEqual(
        listener.namesOf(id).map((name) => name.replace('content.', '')),
        ['created', 'updated', 'trashed', 'restored', 'trashed', 'purged'],
      );
      const numbers = listener.events.map((each) => Number(each.id));
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b),
      );
      const updated = listener.events.find(({ name, data }) => name === 'content.updated' && data.id === id);
      assert.deepEqual([updated?.data.event, updated?.data.version], ['content.updated', 2]);
    });

    it('A draft is heard of by its author and editors, and by others only once it is published', async (t) => {
      const [author, other, one] = [await member(), await member(), await editor()];
      const [own, theirs, editors] = await Promise.all(
        [author, other, one].map((who) => listen(service().url, who)),
      );
      assert.ok(own && theirs && editors);
      for (const { close } of [own, theirs, editors]) t.after(close);
      const draft = await write(author, { status: 'draft' });
      await done(author, 'PUT', `/api/content/${draft.id}`, { title: 'two' });
      const fence = await write(author);
      for (const listener of [own, theirs, editors]) await listener.heard('content.created', fence.id);
      assert.deepEqual(theirs.namesOf(draft.id), []);
      for (const listener of [own, editors]) assert.equal(listener.namesOf(draft.id)[0], 'content.created');
      await done(author, 'POST', `/api/content/${draft.id}/publish`);
      await theirs.heard('content.published', draft.id);
      assert.deepEqual(theirs.namesOf(draft.id), ['content.published']);
    });

    it('A listener who comes back with the last number has missed nothing and hears nothing twice', async (t) => {
      const author = await member();
      const first = await listen(service().url, author);
      const ids = [(await write(author)).id];
      await first.heard('content.created', ids[0]);
      first.close();
      const after = first.events.at(-1)?.id ?? '';
      for (let n = 0; n < 5; n++) ids.push((await write(author)).id);
      const second = await listen(service().url, { token: author.token, after });
      t.after(second.close);
      ids.push((await write(author)).id);
      await second.heard('content.created', ids.at(-1) ?? 0);
      const heard = [...first.events, ...second.events]
        .filter(({ name }) => name.startsWith('content.'))
        .map(({ data }) => data.id);
      assert.deepEqual(
        heard.filter((id) => ids.includes(id)),
        ids,
      );
      assert.ok(!second.events.some(({ name }) => name === 'reset'));
    });

    it('What was refused, repeated or changed nothing is heard by nobody, and a batch is heard item by item', async (t) => {
      const [author, other] = [await member(), await member()];
      const listener = await listen(service().url, author);
      t.after(listener.close);
      const key = { 'idempotency-key': `"${newName('key')}"` };
      const body = { title: 'one', content: 'text' };
      const { id } = await done(author, 'POST', '/api/content', body, key);
      await done(author, 'POST', '/api/content', body, key);
      await done(author, 'PUT', `/api/content/${id}`, { title: 'one' });
      await ask(author, 'PUT', `/api/content/${id}`, { title: 'x' }, { 'if-match': '"wrong"' });
      await ask(other, 'PUT', `/api/content/${id}`, { title: 'x' });
      const create = { action: 'create', item: body };
      const bad = {
        operations: [
          { action: 'update', id, change: { title: 'x' } },
          { action: 'delete', id: 999_999 },
        ],
      };
      assert.equal((await ask(author, 'POST', '/api/content/bulk', bad)).status, 404);
      const { results } = await done(author, 'POST', '/api/content/bulk', { operations: [create, create] });
      for (const each of results) await listener.heard('content.created', each.id);
      for (const each of [id, results[0].id, results[1].id])
        assert.deepEqual(listener.namesOf(each), ['content.created']);
    });

    it('A ticket opens one stream, and a stranger opens none', async (t) => {
      const author = await member();
      const open = (query: string, headers: Record<string, string> = {}) =>
        fetch(`${service().url}/api/events${query}`, { headers });
      for (const query of ['', '?ticket=', '?ticket=invented']) {
        const { status, body } = await open(query);
        await body?.cancel();
        assert.ok([400, 401].includes(status), `${query}: ${status}`);
      }
      assert.equal((await ask(undefined, 'POST', '/api/events/tickets')).status, 401);
      const { ticket, expires_in } = await done(author, 'POST', '/api/events/tickets');
      assert.equal(expires_in, 30);
      const listener = await listen(service().url, { ticket });
      t.after(listener.close);
      const again = await open(`?ticket=${ticket}`);
      await again.body?.cancel();
      assert.equal(again.status, 401);
      const { id } = await write(author);
      await listener.heard('content.created', id);
    });

    it('A stream ends with the session that opened it, whether by a token or by a ticket', async (t) => {
      const author = await member();
      const { ticket } = await done(author, 'POST', '/api/events/tickets');
      const { ticket: unused } = await done(author, 'POST', '/api/events/tickets');
      const listeners = [await listen(service().url, author), await listen(service().url, { ticket })];
      for (const { close } of listeners) t.after(close);
      await done(author, 'POST', '/api/auth/logout');
      for (const { isOver } of listeners) await until(isOver, 'the stream is over');
      const late = await fetch(`${service().url}/api/events?ticket=${unused}`);
      await late.body?.cancel();
      assert.equal(late.status, 401);
    });
  }),
);

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { requestsTo } from './requests.ts';

onEveryEngine('Seen from outside, publishing', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, write } = requestsTo(service);

    it('A draft of many savings becomes one version, which others see whole', async () => {
      const author = await member();
      const { id } = await write(author, { title: 'one', content: 'one', category: 'kept' });
      const path = `/api/content/${id}`;
      await done(author, 'PUT', `${path}/draft`, { title: 'two' });
      await done(author, 'PUT', `${path}/draft`, { content: 'two' });
      const { title, content, category, version } = await done(author, 'POST', `${path}/publish`);
      assert.deepEqual(
        { title, content, category, version },
        { title: 'two', content: 'two', category: 'kept', version: 2 },
      );
      const [newest, ...older] = (await done(author, 'GET', `${path}/versions`)).items;
      assert.deepEqual([newest.changed.toSorted(), older.length], [['content', 'title'], 1]);
      assertFailure(await ask(author, 'GET', `${path}/draft`), 404, 'not_found');
    });

    it('A draft that is thrown away leaves the published item as it was, and nothing to publish', async () => {
      const author = await member();
      const { id } = await write(author, { title: 'one' });
      const path = `/api/content/${id}`;
      await done(author, 'PUT', `${path}/draft`, { title: 'two' });
      await done(author, 'DELETE', `${path}/draft`);
      assertFailure(await ask(author, 'DELETE', `${path}/draft`), 404, 'not_found');
      assertFailure(await ask(author, 'GET', `${path}/draft`), 404, 'not_found');
      const { status } = await ask(author, 'POST', `${path}/publish`);
      assert.ok(status >= 400 && status < 500, `${status}`);
      const { title, version } = await done(undefined, 'GET', path);
      assert.deepEqual([title, version], ['one', 1]);
    });

    it('A time to publish belongs to a draft and is a time', async () => {
      const author = await member();
      const item = { title: 'one', content: 'text' };
      const publish_at = new Date(Date.now() + 3_600_000).toISOString();
      for (const members of [
        { publish_at },
        { status: 'published', publish_at },
        { status: 'draft', publish_at: 'tomorrow' },
        { status: 'draft', publish_at: 1 },
        { status: 'secret' },
        { status: null },
      ])
        assertFailure(
          await ask(author, 'POST', '/api/content', { ...item, ...members }),
          400,
          'validation_failed',
        );
      const draft = await write(author, { status: 'draft', publish_at });
      assert.equal(Date.parse(draft.publish_at), Date.parse(publish_at));
      assert.equal(
        (await done(author, 'PUT', `/api/content/${draft.id}`, { publish_at: null })).publish_at,
        null,
      );
      assert.equal((await done(author, 'GET', `/api/content/${draft.id}`)).status, 'draft');
    });

    it('A draft is published at its time by itself, and one in the trash or without a time is not', async () => {
      const author = await member();
      // Later than the requests below end, also on a busy machine.
      const at = (ms: number) => ({ status: 'draft', publish_at: new Date(Date.now() + ms).toISOString() });
      const [trashed, taken, due] = [
        await write(author, at(60_000)),
        await write(author, at(60_000)),
        await write(author, at(60_000)),
      ];
      await done(author, 'DELETE', `/api/content/${trashed.id}`);
      await done(author, 'PUT', `/api/content/${taken.id}`, { publish_at: null });
      const fence = await write(author, at(63_000));
      // Asking all the time would take seconds of a processor.
      await pause(Date.parse(due.publish_at) - Date.now());
      for (const { id } of [due, fence])
        await until(
          async () => (await ask(undefined, 'GET', `/api/content/${id}`)).status === 200,
          'the item is published',
        );
      for (const { id } of [trashed, taken])
        assertFailure(await ask(undefined, 'GET', `/api/content/${id}`), 404, 'not_found');
      assert.equal((await done(author, 'GET', `/api/content/${due.id}`)).status, 'published');
      const restored = await done(author, 'POST', `/api/content/trash/${trashed.id}/restore`);
      assert.equal(restored.id, trashed.id);
    });
  }),
);

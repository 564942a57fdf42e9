import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo, tagOf } from './requests.ts';
import { idsOf } from './seen.ts';

const DAY_MS = 24 * 60 * 60_000;

onEveryEngine('Seen from outside, the trash', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, editor, admin, write } = requestsTo(service);

    it('A member finds only their own items in the trash, an editor and an admin all, the newest first', async () => {
      const [author, other, one] = [await member(), await member(), await editor()];
      const [a, b, c] = [await write(author), await write(author), await write(other)];
      for (const { id } of [b, a]) await done(author, 'DELETE', `/api/content/${id}`);
      await done(one, 'DELETE', `/api/content/${c.id}`);
      const own = await done(author, 'GET', '/api/content/trash');
      assert.deepEqual([idsOf(own), own.total], [[a.id, b.id], 2]);
      const [{ trashed_at, trashed_by, purge_at, title, content, version }] = own.items;
      assert.deepEqual(trashed_by, { id: author.id, username: author.username });
      assert.equal(Date.parse(purge_at) - Date.parse(trashed_at), 30 * DAY_MS);
      assert.deepEqual([title, content, version], [a.title, a.content, a.version]);
      const [theirs] = (await done(other, 'GET', '/api/content/trash')).items;
      assert.deepEqual([theirs.id, theirs.trashed_by.id], [c.id, one.id]);
      for (const who of [one, await admin()]) {
        const ids = idsOf(await done(who, 'GET', '/api/content/trash?per_page=100'));
        assert.deepEqual(
          ids.filter((id) => [a.id, b.id, c.id].includes(id)),
          [c.id, a.id, b.id],
        );
      }
      assert.equal((await ask(undefined, 'GET', '/api/content/trash')).status, 401);
    });

    it('A deletion with the tag of an earlier version leaves the item outside of the trash', async () => {
      const author = await member();
      const { id } = await write(author);
      const path = `/api/content/${id}`;
      const headers = { 'if-match': tagOf(await ask(author, 'GET', path)) };
      await done(author, 'PUT', path, { title: 'two' });
      const refused = await ask(author, 'DELETE', path, undefined, headers);
      assertFailure(refused, 412, 'version_conflict');
      assert.equal((await done(author, 'GET', '/api/content/trash')).total, 0);
      assert.equal((await done(undefined, 'GET', path)).title, 'two');
    });

    it('A restoration and a purge with the tag of an earlier version leave the item in the trash', async () => {
      const author = await member();
      const { id } = await write(author);
      const [path, trashed] = [`/api/content/${id}`, `/api/content/trash/${id}`];
      const stale = { 'if-match': tagOf(await ask(author, 'GET', path)) };
      const current = { 'if-match': tagOf(await ask(author, 'PUT', path, { title: 'two' })) };
      await done(author, 'DELETE', path);
      for (const [method, to] of [
        ['POST', `${trashed}/restore`],
        ['DELETE', trashed],
      ] as const) {
        const refused = await ask(author, method, to, undefined, stale);
        assertFailure(refused, 412, 'version_conflict');
        assert.match(refused.body.message ?? '', /moved to the trash: it is at version 2/);
      }
      assert.deepEqual(idsOf(await done(author, 'GET', '/api/content/trash')), [id]);
      assert.equal((await done(author, 'POST', `${trashed}/restore`, undefined, current)).title, 'two');
      await done(author, 'DELETE', path, undefined, current);
      assert.deepEqual(await done(author, 'DELETE', trashed, undefined, current), { id });
    });
  });

  describeOnService(
    engine,
    'without a trash',
    (service) => {
      const { ask, done, member, write } = requestsTo(service);

      it('A deletion is for good where TRASH_DAYS is 0', async () => {
        const author = await member();
        const { id } = await write(author);
        await done(author, 'DELETE', `/api/content/${id}`);
        assert.equal((await done(author, 'GET', '/api/content/trash')).total, 0);
        assertFailure(await ask(author, 'POST', `/api/content/trash/${id}/restore`), 404, 'not_found');
      });
    },
    { TRASH_DAYS: '0' },
  );
});

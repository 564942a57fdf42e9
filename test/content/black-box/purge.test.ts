import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo } from './requests.ts';

onEveryEngine('Seen from outside, what is purged', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, editor, admin, write } = requestsTo(service);

    it('Another member cannot know of an item in the trash, and an editor cannot end it for good', async () => {
      const [author, other] = [await member(), await member()];
      const { id } = await write(author);
      await done(author, 'DELETE', `/api/content/${id}`);
      const path = `/api/content/trash/${id}`;
      for (const [method, to] of [
        ['DELETE', path],
        ['POST', `${path}/restore`],
      ] as const) {
        assertFailure(await ask(other, method, to), 404, 'not_found');
        assert.equal((await ask(undefined, method, to)).status, 401);
      }
      assertFailure(await ask(await editor(), 'DELETE', path), 403, 'forbidden');
      assert.equal((await done(await editor(), 'POST', `${path}/restore`)).id, id);
      assertFailure(await ask(author, 'DELETE', path), 404, 'not_found');
      await done(author, 'DELETE', `/api/content/${id}`);
      assert.deepEqual(await done(await admin(), 'DELETE', path), { id });
    });

    it('A purged item is nowhere, and its id is never used again', async () => {
      const author = await member();
      const { id } = await write(author);
      await done(author, 'DELETE', `/api/content/${id}`);
      await done(author, 'DELETE', `/api/content/trash/${id}`);
      for (const [method, to] of [
        ['GET', `/api/content/${id}`],
        ['GET', `/api/content/${id}/versions`],
        ['POST', `/api/content/trash/${id}/restore`],
        ['DELETE', `/api/content/trash/${id}`],
      ] as const)
        for (const who of [author, await admin()])
          assertFailure(await ask(who, method, to), 404, 'not_found');
      assert.ok((await write(author)).id > id);
    });

    it('Of a restoration and a purge that are sent at once, one is done and the other finds nothing', async () => {
      const author = await member();
      for (let round = 0; round < 4; round++) {
        const { id } = await write(author);
        await done(author, 'DELETE', `/api/content/${id}`);
        const answers = await Promise.all([
          ask(author, 'POST', `/api/content/trash/${id}/restore`),
          ask(author, 'DELETE', `/api/content/trash/${id}`),
        ]);
        assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404]);
        const isThere = (await ask(undefined, 'GET', `/api/content/${id}`)).status === 200;
        assert.equal(isThere, answers[0].status === 200);
      }
    });
  });
});

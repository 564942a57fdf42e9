import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo } from './requests.ts';
import { idsOf, newWord } from './seen.ts';

onEveryEngine('Seen from outside, walking a list', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, editor, admin, write } = requestsTo(service);
    const list = (query: string) => done(undefined, 'GET', `/api/content?${query}`);

    it('A walk by cursor meets each item that lives throughout exactly once, while others create and delete', async () => {
      const [author, other] = [await member(), await member()];
      const word = newWord();
      const living = [];
      const dying = [];
      for (let n = 0; n < 9; n++) {
        living.push((await write(author, { category: word })).id);
        dying.push((await write(other, { category: word })).id);
      }
      const seen: number[] = [];
      let cursor: string | undefined = '';
      while (cursor !== undefined) {
        const query: string = `category=${word}&per_page=2&cursor=${encodeURIComponent(cursor)}`;
        const step = await list(query);
        assert.deepEqual(
          Object.keys(step).filter((name) => name === 'page'),
          [],
        );
        seen.push(...idsOf(step));
        cursor = step.next_cursor;
        const gone = dying.shift();
        if (gone) await done(other, 'DELETE', `/api/content/${gone}`);
        if (seen.length < 12) await write(other, { category: word });
      }
      assert.equal(new Set(seen).size, seen.length, 'nothing twice');
      for (const id of living) assert.ok(seen.includes(id), `${id}`);
    });

    it('A cursor that was changed, or that belongs to another list, is refused, and goes with no page', async () => {
      const boss = await admin();
      for (let n = 0; n < 3; n++) await write(boss);
      for (const path of ['/api/content', '/api/users', '/api/audit']) {
        const { next_cursor } = await done(boss, 'GET', `${path}?cursor=&per_page=1`);
        assert.equal(typeof next_cursor, 'string', path);
        const at = Math.floor(next_cursor.length / 2);
        const forged =
          next_cursor.slice(0, at) + (next_cursor[at] === 'A' ? 'B' : 'A') + next_cursor.slice(at + 1);
        for (const query of [
          `cursor=${encodeURIComponent(forged)}`,
          'cursor=1',
          `cursor=${encodeURIComponent(next_cursor)}&page=2`,
        ])
          assert.equal((await ask(boss, 'GET', `${path}?${query}`)).status, 400, `${path}?${query}`);
        for (const other of ['/api/content', '/api/users', '/api/audit'].filter((each) => each !== path)) {
          const answer = await ask(boss, 'GET', `${other}?cursor=${encodeURIComponent(next_cursor)}`);
          assert.equal(answer.status, 400, `${path} on ${other}`);
        }
      }
    });

    it('A cursor of an editor opens nothing to a stranger who got hold of it', async () => {
      const [author, one] = [await member(), await editor()];
      const word = newWord();
      for (const members of [{}, { visibility: 'members' }, { status: 'draft' }, {}])
        await write(author, { category: word, ...members });
      const { next_cursor } = await done(one, 'GET', `/api/content?category=${word}&per_page=1&cursor=`);
      const path = `/api/content?category=${word}&per_page=10&cursor=${encodeURIComponent(next_cursor)}`;
      const { status, body } = await ask(undefined, 'GET', path);
      assert.ok([200, 400].includes(status), `${status}`);
      for (const each of status === 200 ? body.data.items : [])
        assert.deepEqual([each.visibility, each.status], ['public', 'published']);
    });

    it('A page deeper than 10,000 items is refused with a filter or an order, and names the cursor', async () => {
      for (const query of ['category=x', 'sort=newest', 'tag=x']) {
        assert.equal((await list(`${query}&per_page=100&page=100`)).items.length, 0);
        const deeper = await ask(undefined, 'GET', `/api/content?${query}&per_page=100&page=101`);
        assert.equal(deeper.status, 400);
        assert.match(JSON.stringify(deeper.body), /cursor/);
      }
      assert.deepEqual((await list('per_page=100&page=101')).items, []);
    });
  }),
);

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo, tagOf } from './requests.ts';

onEveryEngine('Seen from outside, history', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      const { ask, done, member, editor, admin, write } = requestsTo(service);

      it('A restored version is a new one with all that was written, to the byte, and none is lost', async () => {
        const author = await member();
        const first = {
          title: 'one',
          content: '\u{feff} a\r\nb\t\u{1F3DB} e\u0301 \n\n',
          category: 'c',
          tags: ['b', 'a'],
        };
        const { id } = await write(author, first);
        const path = `/api/content/${id}`;
        await done(author, 'PUT', path, { title: 'two', content: '', category: '', tags: [] });
        const restored = await done(author, 'POST', `${path}/versions/1/restore`);
        const { title, content, category, tags, version } = restored;
        assert.deepEqual({ title, content, category, tags }, first);
        assert.equal(version, 3);
        const { items, total } = await done(author, 'GET', `${path}/versions`);
        assert.equal(total, 3);
        assert.deepEqual(
          items.map((each: { version: number }) => each.version),
          [3, 2, 1],
        );
        assert.equal((await done(author, 'GET', `${path}/versions/2`)).title, 'two');
      });

      it('The versions of an item that everybody may read are for its author, editors and admins only', async () => {
        const [author, other] = [await member(), await member()];
        const { id } = await write(author);
        const path = `/api/content/${id}`;
        await done(author, 'PUT', path, { title: 'two' });
        for (const route of ['', '/1', '/2/difference']) {
          assert.equal((await ask(undefined, 'GET', `${path}/versions${route}`)).status, 401);
          assertFailure(await ask(other, 'GET', `${path}/versions${route}`), 403, 'forbidden');
          for (const who of [author, await editor(), await admin()])
            await done(who, 'GET', `${path}/versions${route}`);
        }
        assertFailure(await ask(other, 'POST', `${path}/versions/1/restore`), 403, 'forbidden');
        assert.equal((await done(author, 'GET', path)).version, 2);
      });

      it('A restoration with the tag of an earlier version is refused and makes no version', async () => {
        const author = await member();
        const { id } = await write(author, { title: 'one' });
        const path = `/api/content/${id}`;
        const old = { 'if-match': tagOf(await ask(author, 'GET', path)) };
        await done(author, 'PUT', path, { title: 'two' });
        const refused = await ask(author, 'POST', `${path}/versions/1/restore`, undefined, old);
        assertFailure(refused, 412, 'version_conflict');
        assert.equal((await done(author, 'GET', `${path}/versions`)).total, 2);
      });

      it('The restoration of what is there makes no version', async () => {
        const author = await member();
        const { id } = await write(author, { title: 'one' });
        const path = `/api/content/${id}`;
        for (const title of ['two', 'one']) await done(author, 'PUT', path, { title });
        for (const version of [3, 1])
          assert.equal((await done(author, 'POST', `${path}/versions/${version}/restore`)).version, 3);
        assert.equal((await done(author, 'GET', `${path}/versions`)).total, 3);
      });

      it('A difference over several versions has only what differs between its two ends', async () => {
        const author = await member();
        const { id } = await write(author, { title: 'one', category: 'c', content: 'same\nold' });
        const path = `/api/content/${id}`;
        await done(author, 'PUT', path, { title: 'two', category: 'd' });
        await done(author, 'PUT', path, { title: 'one', content: 'same\nnew' });
        const difference = await done(author, 'GET', `${path}/versions/3/difference?from=1`);
        assert.deepEqual([difference.from, difference.to], [1, 3]);
        assert.deepEqual([difference.removed, difference.added], [{ category: 'c' }, { category: 'd' }]);
        const text = JSON.stringify(difference.content);
        assert.ok(text.includes('new') && text.includes('old') && !text.includes('same\\n'), text);
      });

      it('Versions younger than 30 days stay, however many changes and however few versions are kept', async () => {
        const author = await member();
        const { id } = await write(author, { content: '0' });
        const path = `/api/content/${id}`;
        for (let n = 1; n <= 24; n++) await done(author, 'PUT', path, { content: `${n}` });
        const page = await done(author, 'GET', `${path}/versions?per_page=10&page=3`);
        assert.deepEqual([page.total, page.items.length], [25, 5]);
        assert.equal((await done(author, 'GET', `${path}/versions/1`)).content, '0');
      });

      it('A version that there is not is told apart from a mistake, and is never an error of the service', async () => {
        const author = await member();
        const { id } = await write(author);
        for (const version of ['0', '-1', '1.5', '01', 'x', '%00', '99', '99999999999999999999'])
          for (const route of ['', '/difference']) {
            const { status } = await ask(author, 'GET', `/api/content/${id}/versions/${version}${route}`);
            assert.ok([400, 404].includes(status), `${version}${route}: ${status}`);
          }
      });
    },
    { VERSIONS_KEEP: '1' },
  ),
);

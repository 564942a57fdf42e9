import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newName } from '../../support/client.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo } from './requests.ts';
import { newWord } from './seen.ts';

onEveryEngine('Seen from outside, slugs', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, write } = requestsTo(service);
    /** A move is answered, not followed. */
    const bySlug = (slug: string, headers: Record<string, string> = {}) =>
      fetch(`${service().url}/api/content/by-slug/${encodeURIComponent(slug)}`, {
        redirect: 'manual',
        headers,
      });

    it('A slug is made of the title in its own script, is never empty and never given twice', async () => {
      const author = await member();
      const word = newWord();
      for (const [title, slug] of [
        [`Čau, Světe ${word}`, `čau-světe-${word}`],
        [`日本語 の ${word}`, `日本語-の-${word}`],
      ] as const) {
        assert.equal((await write(author, { title })).slug, slug);
        assert.equal((await (await bySlug(slug)).json()).data.title, title);
      }
      const twins = await Promise.all(Array.from({ length: 6 }, () => write(author, { title: word })));
      assert.equal(new Set(twins.map(({ slug }) => slug)).size, 6);
      assert.ok(twins.some(({ slug }) => slug === word));
      for (const title of ['\u{1F3DB}', '!!!', '...'])
        assert.ok((await write(author, { title })).slug.length > 0, title);
    });

    it('A slug stays when the title changes, and an old one leads to the new one and to nobody else', async () => {
      const [author, other] = [await member(), await member()];
      const [old, next] = [newName('old'), newName('next')];
      const { id } = await write(author, { title: old });
      assert.equal((await done(author, 'PUT', `/api/content/${id}`, { title: 'changed' })).slug, old);
      await done(author, 'PUT', `/api/content/${id}`, { slug: next });
      const moved = await bySlug(old);
      const { code, data } = await moved.json();
      assert.deepEqual([moved.status, code, data.moved_to], [301, 301, { id, slug: next }]);
      assert.ok(moved.headers.get('location')?.endsWith(`/api/content/by-slug/${next}`));
      assert.notEqual((await write(other, { title: old })).slug, old);
      const mine = await write(other);
      for (const slug of [old, next])
        assert.equal((await ask(other, 'PUT', `/api/content/${mine.id}`, { slug })).status, 400);
      await done(author, 'PUT', `/api/content/${id}`, { visibility: 'members' });
      assert.equal((await bySlug(old)).status, 404, 'a stranger learns of no move');
      assert.equal((await bySlug(old, { authorization: `Bearer ${other.token}` })).status, 301);
      await done(author, 'DELETE', `/api/content/${id}`);
      assert.equal((await bySlug(old, { authorization: `Bearer ${other.token}` })).status, 404);
    });
  });
});

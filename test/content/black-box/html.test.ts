import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo, tagOf } from './requests.ts';

onEveryEngine('Seen from outside, HTML', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, write } = requestsTo(service);

    it('Markdown becomes HTML with its tables and without anything that runs', async () => {
      const content = [
        '# Head\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
        '<script>alert(1)</script><img src=x onerror=alert(2)><iframe src="//evil"></iframe>',
        '[one](javascript:alert(3)) [two](JaVa&#x53;cript:alert(4)) <a href="data:text/html,x">x</a>',
        '<svg onload=alert(5)>',
      ].join('\n\n');
      const { id, slug } = await write(await member(), { content });
      for (const path of [`/api/content/${id}`, `/api/content/by-slug/${slug}`]) {
        const { html, ...others } = await done(undefined, 'GET', `${path}?format=html`);
        assert.deepEqual([others.id, 'content' in others], [id, false]);
        assert.match(html, /<h1>Head<\/h1>/);
        assert.match(html, /<td>1<\/td>/);
        assert.doesNotMatch(html, /<script|<iframe|<svg|<[^>]*\son\w+=|(href|src)="?\s*(javascript|data):/i);
      }
    });

    it('HTML has a tag of its own, and is as hidden as the item that it is made of', async () => {
      const author = await member();
      const { id } = await write(author, { content: '*one*' });
      const path = `/api/content/${id}`;
      const [plain, rendered] = [
        await ask(undefined, 'GET', path),
        await ask(undefined, 'GET', `${path}?format=html`),
      ];
      assert.notEqual(tagOf(rendered), tagOf(plain));
      const known = { 'if-none-match': tagOf(rendered) };
      assert.equal((await ask(undefined, 'GET', `${path}?format=html`, undefined, known)).status, 304);
      assert.equal((await ask(undefined, 'GET', path, undefined, known)).status, 200);
      await done(author, 'PUT', path, { visibility: 'members' });
      const hidden = await ask(undefined, 'GET', `${path}?format=html`, undefined, known);
      assertFailure(hidden, 404, 'not_found');
    });
  });

  describeOnService(
    engine,
    'without rendering',
    (service) => {
      const { ask, member, write } = requestsTo(service);

      it('No HTML is made where RENDER is off', async () => {
        const { id } = await write(await member());
        assert.equal((await ask(undefined, 'GET', `/api/content/${id}?format=html`)).status, 400);
      });
    },
    { RENDER: 'off' },
  );
});

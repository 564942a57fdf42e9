// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const FILE = new URL('../../docs/examples/blog/blog.ts', import.meta.url);
const MOST_LINES = 150;

onOneEngine('The blog among the examples', (engine) => {
  it('The blog shows strangers its posts, newest first, with their HTML cleaned and their titles escaped', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const write = async (item: object) => {
      const body = { content: '', category: 'blog', ...item };
      const answer = await call(url, 'POST', '/api/content', { token, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.data;
    };
    const first = await write({
      title: 'First',
      content: '*Hello* <script>alert(1)</script>',
      tags: ['a b'],
    });
    await write({ title: '<b>Second</b>' });
    await write({ title: 'For members', visibility: 'members' });
    await write({ title: 'A draft', status: 'draft' });
    await write({ title: 'Elsewhere', category: 'notes' });
    const blog = await startBlog(t, url);

    const list = await (await fetch(blog)).text();
    assert.match(list, /&lt;b&gt;Second&lt;\/b&gt;.*>First</s);
    assert.doesNotMatch(list, /For members|A draft|Elsewhere|<b>/);
    const ofTag = await (await fetch(`${blog}/?tag=a%20b`)).text();
    assert.match(ofTag, />First</);
    assert.doesNotMatch(ofTag, /Second/);

    const post = await fetch(`${blog}/posts/first`);
    assert.match(post.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    const html = await post.text();
    assert.match(html, /<em>Hello<\/em>/);
    assert.doesNotMatch(html, /<script/);
    const headers = { 'if-none-match': post.headers.get('etag') ?? '' };
    assert.equal((await fetch(`${blog}/posts/first`, { headers })).status, 304);

    await call(url, 'PUT', `/api/content/${first.id}`, { token, body: { slug: 'renamed' } });
    assert.match(await (await fetch(`${blog}/posts/first`)).text(), /<em>Hello<\/em>/);
    for (const [path, status] of [
      ['/posts/missing', 404],
      ['/posts/elsewhere', 404],
      ['/elsewhere', 404],
      ['/posts/%ff', 400],
      ['/?page=0', 400],
    ] as const)
      assert.equal((await fetch(blog + path)).status, status, path);
  });

  it(`The blog has ${MOST_LINES} lines at most`, async () => {
    const lines = (await readFile(FILE, 'utf8')).trimEnd().split('\n');
    assert.ok(lines.length <= MOST_LINES, `${lines.length} lines`);
  });
});

/** Resolves with the address of the blog, once it has said it. */
async function startBlog(t: TestContext, service: string): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=stoa-source', FILE.pathname], {
    env: { STOA_URL: service, BLOG_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const [line] = await once(createInterface(child.stdout), 'line');
  const address = /http:\S+/.exec(String(line))?.[0];
  assert.ok(address, String(line));
  return address;
}

// Needs: processes.

import assert from 'node:assert/strict';
import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { it } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import { filesBelow } from '../../src/cli/files.ts';
import { SLUG_BYTES } from '../../src/domain/slug.ts';
import { takeFrontMatter } from '../../src/transfer/content/front-matter.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { type CommandResult, stoa, stoaUnprivileged } from '../support/command.ts';
import { compareExport } from '../support/documents/compare-export.ts';
import {
  ENGINES,
  lifetimeOfSuite,
  onEveryEngine,
  type TestEngine,
  temporaryFolder,
} from '../support/engines.ts';
import { startCommand } from '../support/move.ts';
import { execOn } from '../support/place.ts';
import { startHere, type startService } from '../support/service.ts';
import { slowRows } from '../support/slow-rows.ts';
import { until } from '../support/until.ts';

const NODE_MODULES = new URL('../../node_modules', import.meta.url).pathname;

const lifetime = lifetimeOfSuite();
let copied: Promise<readonly string[]> | undefined;

/**
 * A folder for the engine with Markdown files of `node_modules`, because each walk through the other files costs
 * seconds. What a file holds is read alike on every engine, so each file is in the folder of one engine.
 */
async function realFiles(engine: TestEngine): Promise<string> {
  copied ??= copyRealFiles();
  const folder = (await copied)[ENGINES.indexOf(engine)];
  assert.ok(folder !== undefined);
  return folder;
}

async function copyRealFiles(): Promise<string[]> {
  const folders = await Promise.all(ENGINES.map(() => temporaryFolder(lifetime)));
  let count = 0;
  for await (const { path } of filesBelow(NODE_MODULES, new Set(['.md', '.markdown']))) {
    const copy = join(folders[count++ % folders.length] ?? '', relative(NODE_MODULES, path));
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(path, copy);
  }
  return folders;
}

const MEBIBYTE = 1024 * 1024;
/** So many items that an import of them can be killed between two of its writes. */
const MANY = 1_000;
/** So many items that they are not counted in time where each of them takes 5 ms. */
const SLOW = 700;
/** So often it is tried to kill it there. */
const TRIES = 10;

/** What an import has counted. */
function countsOf({ stdout }: CommandResult) {
  const found =
    /(\d+) items were imported, (\d+) were changed, (\d+) were there already, (\d+) were refused/.exec(
      stdout,
    );
  assert.ok(found, stdout);
  return found.slice(1).map(Number);
}

/** A running service with an account, and commands on its database. */
async function start(t: Parameters<typeof startService>[0], engine: TestEngine) {
  const settings = await engine.settings(t);
  const service = await startHere(t, settings);
  const author = await newAccount(service.url);
  const command = (...args: string[]) => stoa(['content', ...args], { settings });
  return { ...service, author, command, settings };
}

async function itemsOf(url: string, { id, token }: Account) {
  const { body } = await call(url, 'GET', `/api/content?author=${id}&per_page=100`, { token });
  return body.data.items;
}

onEveryEngine('Content in files', (engine) => {
  // Files are read and written alike on every engine.
  const isFirst = engine === ENGINES[0];
  it('Hundreds of real Markdown files survive an import, an export and another import while a server runs', async (t) => {
    const { command, author, url } = await start(t, engine);
    const files = await realFiles(engine);
    const first = await command('import', files, '--author', author.username);
    const [made = 0, ...others] = countsOf(first);
    assert.ok(made >= 300, `${made} files`);
    assert.deepEqual([first.code, others], [0, [0, 0, 0]]);
    assert.deepEqual(countsOf(await command('import', files, '--author', author.email)), [0, 0, made, 0]);

    const folder = join(await temporaryFolder(t), 'export');
    assert.equal((await command('export', folder)).code, 0);
    assert.deepEqual(await compareExport(files, folder), { files: made, different: [] });
    assert.equal((await stat(folder)).mode & 0o777, 0o700);

    const lines = await command('export');
    const { total } = (await call(url, 'GET', '/api/content')).body.data;
    assert.deepEqual([lines.stdout.split('\n').length - 1, total], [made, made]);
    const there = await start(t, engine);
    const [file, again] = [join(folder, '..', 'all.ndjson'), join(folder, '..', 'again.ndjson')];
    assert.equal((await command('export', file)).code, 0);
    assert.deepEqual(countsOf(await there.command('import', file, '--author', there.author.username)), [
      made,
      0,
      0,
      0,
    ]);
    assert.equal((await there.command('export', again)).code, 0);
    assert.deepEqual(await withoutAuthors(again), await withoutAuthors(file));
  });

  it('A changed file changes its item by one version, and nothing is made twice', async (t) => {
    const { url, command, author } = await start(t, engine);
    const folder = await temporaryFolder(t);
    const path = join(folder, 'a.md');
    await writeFile(path, '---\ntitle: One\ntags: [x]\nweight: 3\n---\ntext');
    const run = () => command('import', folder, '--author', author.username, '--source', 'site');
    assert.deepEqual(countsOf(await run()), [1, 0, 0, 0]);
    const [before] = await itemsOf(url, author);
    assert.deepEqual(
      [before.title, before.tags, before.meta, before.version],
      ['One', ['x'], { weight: 3 }, 1],
    );

    await call(url, 'PUT', `/api/content/${before.id}`, { token: author.token, body: { title: 'By hand' } });
    assert.deepEqual(countsOf(await run()), [0, 0, 1, 0]);
    await writeFile(path, '---\ntitle: Two\n---\ntext');
    await rename(folder, `${folder}-moved`);
    t.after(() => rm(`${folder}-moved`, { recursive: true, force: true }));
    const moved = () => command('import', `${folder}-moved`, '--author', author.username, '--source', 'site');
    assert.deepEqual(countsOf(await moved()), [0, 1, 0, 0]);
    const [after, ...others] = await itemsOf(url, author);
    assert.deepEqual(
      [after.id, after.title, after.tags, after.meta, after.version],
      [before.id, 'Two', [], undefined, 3],
    );
    assert.deepEqual(others, []);
    const first = await call(url, 'GET', `/api/content/${before.id}/versions/1`, { token: author.token });
    assert.deepEqual([first.body.data.title, first.body.data.tags], ['One', ['x']]);

    await call(url, 'DELETE', `/api/content/${before.id}`, { token: author.token });
    assert.deepEqual(countsOf(await moved()), [0, 0, 1, 0]);
    await writeFile(join(`${folder}-moved`, 'a.md'), 'changed');
    const refused = await moved();
    assert.deepEqual([refused.code, countsOf(refused)], [1, [0, 0, 0, 1]]);
    assert.match(refused.stdout, /^a\.md:1: Its item \d+ is in the trash; /m);
  });

  it('An import that is killed has made whole batches, and the next one makes what is missing and nothing twice', async (t) => {
    const file = join(await temporaryFolder(t), 'many.ndjson');
    const lines = Array.from({ length: MANY }, (_, id) =>
      JSON.stringify({ id, title: `${id}`, content: 'c' }),
    );
    await writeFile(file, lines.join('\n'));
    // On a busy machine an import may have made all of them before it is killed.
    for (let made = MANY, tries = 1; made === MANY; tries++) {
      const { url, command, author, settings } = await start(t, engine);
      const total = async () => (await call(url, 'GET', '/api/content')).body.data.total;
      const args = ['content', 'import', file, '--author', author.username];
      const run = startCommand(t, args, settings);
      await until(async () => (await total()) > 0, 'the first items are there');
      run.signal('SIGKILL');
      await run.ended;
      made = await total();
      assert.ok(made > 0 && (made < MANY || tries < TRIES) && made % 50 === 0, `${made} items`);
      const again = await command('import', file, '--author', author.username);
      assert.deepEqual(countsOf(again), [MANY - made, 0, made, 0]);
      assert.equal(await total(), MANY);
    }
  });

  it('Lines with one id make one item, which has the last of them, also where the import reads them at once', async (t) => {
    const { url, command, author } = await start(t, engine);
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const lineOf = (id: number, title: string) => JSON.stringify({ id, title, content: 'c', slug: title });
    await writeFile(file, [lineOf(1, 'first'), lineOf(2, 'other'), lineOf(1, 'last')].join('\n'));
    const run = () => command('import', file, '--author', author.username);
    assert.deepEqual(countsOf(await run()), [2, 1, 0, 0]);
    const titles = (await itemsOf(url, author)).map(({ title }: { title: string }) => title);
    assert.deepEqual(titles.toSorted(), ['last', 'other']);
    await writeFile(file, lineOf(1, 'last'));
    assert.deepEqual(countsOf(await run()), [0, 0, 1, 0], 'the last line is what is known');
  });

  if (isFirst) {
    it('Lines of a file that begins with a byte order mark are those of the same file without one', async (t) => {
      const { command, author } = await start(t, engine);
      const file = join(await temporaryFolder(t), 'lines.ndjson');
      const line = JSON.stringify({ title: 't', content: 'c' });
      await writeFile(file, `\ufeff${line}\n`);
      assert.deepEqual(countsOf(await command('import', file, '--author', author.username)), [1, 0, 0, 0]);
      await writeFile(file, line);
      assert.deepEqual(countsOf(await command('import', file, '--author', author.username)), [0, 0, 1, 0]);
    });
  }

  it('An import gives an item the slug back that the item had before', async (t) => {
    const { url, command, author } = await start(t, engine);
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    for (const [slug, counts] of [
      ['a', [1, 0, 0, 0]],
      ['b', [0, 1, 0, 0]],
      ['a', [0, 1, 0, 0]],
    ] as const) {
      await writeFile(file, JSON.stringify({ id: 1, title: 't', content: 'c', slug }));
      assert.deepEqual(countsOf(await command('import', file, '--author', author.username)), counts);
    }
    assert.equal((await itemsOf(url, author))[0].slug, 'a');
  });

  it('An item whose slug another item has keeps its numbered slug in each later import', async (t) => {
    const { url, command, author } = await start(t, engine);
    await newItem(url, author.token, { title: 'Other', content: 'c', slug: 'a' });
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    for (const [content, counts] of [
      ['first', [1, 0, 0, 0]],
      ['second', [0, 1, 0, 0]],
    ] as const) {
      await writeFile(file, JSON.stringify({ id: 1, title: 't', content, slug: 'a' }));
      const result = await command('import', file, '--author', author.username);
      assert.deepEqual(countsOf(result), counts, result.stdout);
      const { body } = await call(url, 'GET', '/api/content/by-slug/a-2');
      assert.equal(body.data?.content, content, JSON.stringify(body));
    }
  });

  it('Two items of an import with one slug of the greatest length are both found by the slugs that they get', async (t) => {
    const { url, command, author } = await start(t, engine);
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const lineOf = (id: number) =>
      JSON.stringify({ id, title: `${id}`, content: 'c', slug: 'a'.repeat(SLUG_BYTES) });
    await writeFile(file, [lineOf(1), lineOf(2)].join('\n'));
    assert.deepEqual(countsOf(await command('import', file, '--author', author.username)), [2, 0, 0, 0]);
    const items: { id: number; slug: string }[] = await itemsOf(url, author);
    for (const { id, slug } of items) {
      const { status, body } = await call(url, 'GET', `/api/content/by-slug/${slug}`);
      assert.deepEqual([status, body.data?.id], [200, id], slug);
    }
  });

  it('An item that its own write refuses is named with its reason, and the items beside it are imported', async (t) => {
    const { url, command, author } = await start(t, engine);
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'a.md'), 'first');
    const run = () => command('import', folder, '--author', author.username);
    assert.deepEqual(countsOf(await run()), [1, 0, 0, 0]);
    const [{ id }] = await itemsOf(url, author);
    const draft = await call(url, 'PUT', `/api/content/${id}/draft`, {
      token: author.token,
      body: { title: 'Next' },
    });
    assert.equal(draft.status, 200, JSON.stringify(draft.body));
    await writeFile(join(folder, 'a.md'), '---\nstatus: draft\n---\nsecond');
    await writeFile(join(folder, 'b.md'), 'other');
    const result = await run();
    assert.deepEqual([result.code, countsOf(result)], [1, [1, 0, 0, 1]], result.stdout + result.stderr);
    assert.match(
      result.stdout,
      /^a\.md:1: This item has a draft beside it; publish or delete that first\.$/m,
    );
  });

  if (isFirst) {
    it('Bad files are named with line and reason, links are not followed, and the rest is imported', async (t) => {
      const { url, command, author, settings } = await start(t, engine);
      const [folder, outside] = [await temporaryFolder(t), await temporaryFolder(t)];
      await mkdir(join(folder, 'sub'));
      await writeFile(join(outside, 'secret.md'), 'secret');
      await symlink(join(outside, 'secret.md'), join(folder, 'link.md'));
      await symlink(outside, join(folder, 'linked'));
      await symlink(folder, join(folder, 'sub', 'circle'));
      await writeFile(join(folder, 'good.MARKDOWN'), '# Good');
      await writeFile(join(folder, 'notes.txt'), 'no');
      await writeFile(join(folder, 'long.md'), `---\na: 1\ntitle: ${'a'.repeat(201)}\n---\n`);
      await writeFile(join(folder, 'huge.md'), 'a'.repeat(1024 * 1024 + 1));
      await writeFile(join(folder, 'sub', 'yaml.md'), '---\na: 1\na: 2\n---\n');
      const line = (members: object) => JSON.stringify({ title: 'Line', content: '', ...members });
      await writeFile(
        join(folder, 'sub', 'lines.jsonl'),
        [
          line({ id: 1, author: { username: 'nobody' } }),
          '',
          '{',
          line({ id: 2, created_at: '2020-01-01T00:00:00Z' }),
        ].join('\n'),
      );
      const result = await command('import', folder, '--author', author.username);
      assert.deepEqual([result.code, countsOf(result)], [1, [3, 0, 0, 4]]);
      const refusals = result.stdout.split('\n').filter((each) => /^\S+:\d+: /.test(each));
      assert.deepEqual(
        refusals.map((each) =>
          each.replace(/(?<=:\d+: ).*?(UTF-8|characters|unique|1 MiB|valid JSON).*/, '$1'),
        ),
        [
          'huge.md:1: 1 MiB',
          'long.md:3: characters',
          'sub/lines.jsonl:3: valid JSON',
          'sub/yaml.md:3: unique',
        ],
      );
      const items = await itemsOf(url, author);
      assert.deepEqual(
        items.map(({ title, created_at }: { title: string; created_at: string }) => [
          title,
          created_at.slice(0, 4) === '2020',
        ]),
        [
          ['Good', false],
          ['Line', false],
          ['Line', true],
        ],
      );

      const unknown = await command('import', folder, '--author', 'nobody');
      assert.match(unknown.stderr, /^There is no account "nobody" \(--author\)\.$/m);
      // What is imported for an account that is being removed would be removed with it, or would keep it.
      const leaving = await newAccount(url);
      await execOn(settings, `UPDATE users SET visible = 0, closes_at = 1 WHERE id = ${leaving.id}`);
      const removed = await command('import', outside, '--author', leaving.username);
      assert.deepEqual([removed.code, countsOf(removed)], [1, [0, 0, 0, 1]]);
      assert.match(removed.stdout, /^secret\.md:1: There is no account "\w+"; /m);
      const named = await command('import', join(folder, 'sub', 'lines.jsonl'));
      assert.deepEqual([named.code, countsOf(named)], [1, [0, 0, 1, 2]]);
      assert.match(named.stdout, /^lines\.jsonl:4: It names no author/m);
      assert.match(
        (await command('import', join(folder, 'notes.txt'))).stderr,
        /must be a folder, or a file/,
      );
    });

    it('A folder that cannot be read and a file name that is not UTF-8 are named, and the rest is imported', async (t) => {
      const { url, author, settings } = await start(t, engine);
      const folder = await temporaryFolder(t);
      const closed = join(folder, 'closed');
      const latin = (name: string) =>
        Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from(name, 'latin1')]);
      await mkdir(closed, { mode: 0o000 });
      await mkdir(latin('\xe9'));
      await writeFile(latin('\xe9.md'), 'text');
      await writeFile(latin('\xe9.png'), 'no text');
      await writeFile(join(folder, 'good.md'), '# Good');
      const args = ['content', 'import', folder, '--author', author.username];
      const result = await stoaUnprivileged(args, { settings });
      await chmod(closed, 0o700);
      assert.deepEqual([result.code, countsOf(result)], [1, [1, 0, 0, 3]], result.stdout + result.stderr);
      assert.deepEqual(result.stdout.split('\n').slice(1, 4), [
        'caf\ufffd:1: Its name is not valid UTF-8.',
        'caf\ufffd.md:1: Its name is not valid UTF-8.',
        `closed:1: It cannot be read: EACCES: permission denied, scandir '${await realpath(closed)}'.`,
      ]);
      assert.equal((await itemsOf(url, author))[0].title, 'Good');
    });

    it('What the name or the text of a bad file has for a terminal is printed with escapes', async (t) => {
      const { command, author } = await start(t, engine);
      const folder = await temporaryFolder(t);
      await writeFile(
        join(folder, 'a\u001b]0;owned\u0007\u009b2K\u202e\n0 were refused.md'),
        '---\na: [\n---\n',
      );
      await writeFile(join(folder, 'b "c".md'), '---\n"\\e[2J": .nan\n---\n');
      const { stdout } = await command('import', folder, '--author', author.username);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      const lines = stdout.split('\n').filter((each) => /^\S.*:\d+: /.test(each));
      assert.match(
        lines[0] ?? '',
        /^"a\\u001b\]0;owned\\u0007\\u009b2K\\u202e\\n0 were refused\.md":\d: The front/,
      );
      assert.match(lines[1] ?? '', /^b "c"\.md:2: \\u001b\[2J has a number/);
    });
  }

  it('An export as Markdown says how many drafts beside published items it leaves out', async (t) => {
    const { url, command, author } = await start(t, engine);
    const { token } = author;
    const published = await newItem(url, token, { title: 'Published', content: 'text' });
    await newItem(url, token, { title: 'Draft', content: 'text', status: 'draft' });
    const folder = join(await temporaryFolder(t), 'own');
    assert.match((await command('export', folder)).stderr, /\n2 items were exported\.\n$/);
    const draft = { token, body: { title: 'New' } };
    assert.equal((await call(url, 'PUT', `/api/content/${published.id}/draft`, draft)).status, 200);
    const { stderr } = await command('export', folder);
    assert.match(stderr, /\n2 items were exported\. 1 drafts beside published items were left out\.\n$/);
    assert.match((await command('export')).stderr, /\n2 items were exported\.\n$/);
  });

  it('Drafts beside items come back from lines elsewhere as they were, and as the same lines', async (t) => {
    const here = await start(t, engine);
    const { url, author, command } = here;
    const editor = await newAccount(url);
    await here.store.write(setRole, { account: editor.email, role: 'editor', now: Date.now() });
    const put = async (path: string, { token }: Account, body: object) => {
      const answer = await call(url, 'PUT', `/api/content/${path}`, { token, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const text = { content: 'text', category: 'notes', tags: ['x'], language: 'en', meta: { weight: 3 } };
    const made = async (title: string) => (await newItem(url, author.token, { title, ...text })).id;
    const [whole, emptied, waiting, older] = [
      await made('whole'),
      await made('emptied'),
      await made('waiting'),
      await made('older'),
    ];
    await made('without');
    const [newText, newMeta] = ['new '.repeat(1_000), { a: [1, { b: null }] }];
    const next = {
      title: 'Next',
      content: newText,
      category: 'c',
      tags: ['y', 'z'],
      language: 'de',
      meta: newMeta,
    };
    await put(`${whole}/draft`, editor, next);
    await put(`${emptied}/draft`, author, { category: '', tags: [], language: '', meta: {} });
    await put(`${waiting}/draft`, author, { publish_at: '2100-01-01T00:00:00.000Z' });
    await put(`${older}/draft`, author, { title: 'Newer' });
    await put(`${older}`, author, { content: 'changed meanwhile' });
    const folder = await temporaryFolder(t);
    const [file, again] = [join(folder, 'all.ndjson'), join(folder, 'again.ndjson')];
    assert.equal((await command('export', file)).code, 0);

    const there = await start(t, engine);
    // Ids are other ones there.
    await newItem(there.url, there.author.token, { title: 'there already', content: '' });
    const writers = [
      await newAccount(there.url, author.username),
      await newAccount(there.url, editor.username),
    ];
    const [first] = writers;
    assert.ok(first);
    assert.deepEqual(countsOf(await there.command('import', file)), [5, 0, 0, 0]);
    assert.deepEqual(countsOf(await there.command('import', file)), [0, 0, 5, 0]);
    assert.equal((await there.command('export', again)).code, 0);
    const [, ...lines] = (await readFile(again, 'utf8')).replace(/"id":\d+/g, '"id":0').split('\n');
    assert.deepEqual(lines, (await readFile(file, 'utf8')).replace(/"id":\d+/g, '"id":0').split('\n'));

    const items: { id: number; title: string }[] = await itemsOf(there.url, first);
    for (const id of [whole, emptied, waiting, older]) {
      const draftOf = async (from: string, token: string, item: number) => {
        const { body } = await call(from, 'GET', `/api/content/${item}/draft`, { token });
        const { id: _, saved_by, ...draft } = body.data;
        return { ...draft, saved_by: saved_by.username };
      };
      const { title } = (await call(url, 'GET', `/api/content/${id}`)).body.data;
      const copy = items.find((each) => each.title === title);
      assert.ok(copy);
      assert.deepEqual(await draftOf(there.url, first.token, copy.id), await draftOf(url, author.token, id));
      const published = await call(there.url, 'POST', `/api/content/${copy.id}/publish`, {
        token: first.token,
      });
      assert.equal(published.status, id === older ? 412 : 200, title);
    }
  });

  for (const [form, name] of [
    ['lines', 'all.ndjson'],
    ['Markdown', 'posts'],
  ] as const)
    it(`Former slugs lead to their items also after an export as ${form} and an import elsewhere`, async (t) => {
      const here = await start(t, engine);
      const { token } = here.author;
      const moved = await newItem(here.url, token, { title: 'z', content: 'c' });
      for (const slug of ['y', 'a', 'now']) {
        const change = { token, body: { slug } };
        assert.equal((await call(here.url, 'PUT', `/api/content/${moved.id}`, change)).status, 200);
      }
      const [path, again] = [join(await temporaryFolder(t), name), join(await temporaryFolder(t), name)];
      assert.equal((await here.command('export', path)).code, 0);

      const there = await start(t, engine);
      const other = await newItem(there.url, there.author.token, { title: 'a', content: 'there already' });
      const run = () => there.command('import', path, '--author', there.author.username);
      assert.deepEqual(countsOf(await run()), [1, 0, 0, 0]);
      assert.deepEqual(countsOf(await run()), [0, 0, 1, 0]);
      const leadsTo = async (slug: string) => {
        const { status, body } = await call(there.url, 'GET', `/api/content/by-slug/${slug}`);
        return [status, body.data.moved_to?.slug ?? body.data.id];
      };
      assert.deepEqual(await leadsTo('z'), [301, 'now']);
      assert.deepEqual(await leadsTo('y'), [301, 'now']);
      assert.deepEqual(await leadsTo('a'), [200, other.id], 'the slug of another item stays its own');

      await call(there.url, 'DELETE', `/api/content/${other.id}`, { token: there.author.token });
      assert.equal((await there.command('export', again)).code, 0);
      const written = name.endsWith('.ndjson')
        ? again
        : join(again, (await readdir(again)).toSorted()[1] ?? '');
      assert.match(await readFile(written, 'utf8'), /old_slugs\W+z\W+y\W/);
    });

  it('A changed line changes the draft beside its item, unless that was saved here later', async (t) => {
    const { url, command, author } = await start(t, engine);
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const run = async (draft?: object, members: object = {}) => {
      await writeFile(file, JSON.stringify({ id: 1, title: 't', content: 'c', ...members, draft }));
      return command('import', file, '--author', author.username);
    };
    const draftOf = async (id: number) => {
      const { body } = await call(url, 'GET', `/api/content/${id}/draft`, { token: author.token });
      const { title, version, saved_at } = body.data;
      return [title, version, saved_at];
    };
    const [early, late] = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'];
    assert.deepEqual(countsOf(await run({ title: 'one', saved_at: early })), [1, 0, 0, 0]);
    const [{ id }] = await itemsOf(url, author);
    assert.deepEqual(await draftOf(id), ['one', 1, early]);
    assert.deepEqual(countsOf(await run({ title: 'two', saved_at: late })), [0, 1, 0, 0]);
    assert.deepEqual(await draftOf(id), ['two', 2, late]);
    assert.deepEqual(countsOf(await run({ title: 'three', saved_at: early })), [0, 0, 1, 0]);
    assert.deepEqual(countsOf(await run(undefined, { content: 'new' })), [0, 1, 0, 0]);
    assert.deepEqual(await draftOf(id), ['two', 2, late]);
    assert.equal((await call(url, 'GET', `/api/content/${id}`)).body.data.version, 2);
  });

  it('A line whose draft breaks a rule is refused with its reason', async (t) => {
    const { command, author } = await start(t, engine);
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const lineOf = (draft: unknown, members: object = {}) =>
      JSON.stringify({ title: 't', content: 'c', author: { username: author.username }, ...members, draft });
    await writeFile(
      file,
      [
        lineOf({ title: 'fine' }),
        lineOf({ title: 'x', saved_by: { username: 'nobody' } }),
        lineOf({ title: 'x' }, { status: 'draft' }),
        lineOf({ title: '' }),
        lineOf({ slug: 'x' }),
        lineOf({ saved_at: '2999-01-01T00:00:00Z' }),
        lineOf(true),
      ].join('\n'),
    );
    const result = await command('import', file);
    assert.deepEqual([result.code, countsOf(result)], [1, [1, 0, 0, 6]], result.stdout);
    const refusals = result.stdout.split('\n').filter((each) => /^\S+:\d+: /.test(each));
    assert.deepEqual(refusals.toSorted(), [
      'lines.ndjson:2: There is no account "nobody"; name another one with --author.',
      'lines.ndjson:3: draft is what a published item will be; this item is a draft itself.',
      'lines.ndjson:4: draft.title must have at least 1 character.',
      'lines.ndjson:5: There is no member "slug" here; there are title, content, category, tags, language, meta, publish_at, over_version, saved_at and saved_by.',
      'lines.ndjson:6: draft.saved_at must be a past time from 1970 on.',
      'lines.ndjson:7: draft must be a JSON object.',
    ]);
  });

  if (engine.name === 'PostgreSQL')
    it('An export of more items than can be counted in time writes all of them', async (t) => {
      const { command, author, settings } = await start(t, engine);
      const file = join(await temporaryFolder(t), 'many.ndjson');
      const lines = Array.from({ length: SLOW }, (_, id) =>
        JSON.stringify({ id, title: `${id}`, content: 'c' }),
      );
      await writeFile(file, lines.join('\n'));
      await command('import', file, '--author', author.username);
      await slowRows(settings, 'content', 5);
      const { code, stdout, stderr } = await command('export');
      assert.equal(code, 0, stderr);
      assert.equal(stdout.trimEnd().split('\n').length, SLOW);
      assert.match(stderr, /\n700 items were exported\.\n$/);
    });

  if (isFirst) {
    it('An export names its own files, and leaves those of others alone', async (t) => {
      const { url, command, author } = await start(t, engine);
      const { token } = author;
      const made = async (title: string) => {
        const body = { title, content: 'text', meta: { title: 'another' } };
        return (await call(url, 'POST', '/api/content', { token, body })).body.data.id;
      };
      const [one, two] = [await made('One'), await made('Two')];
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, 'mine.md'), 'mine');
      const refused = await command('export', folder);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /is not empty, and no export made it/);
      const own = join(folder, 'own');
      assert.equal((await command('export', own)).code, 0);
      await writeFile(join(own, 'mine.md'), 'mine');
      await call(url, 'PUT', `/api/content/${one}`, { token, body: { title: 'New' } });
      await call(url, 'DELETE', `/api/content/${two}`, { token });
      assert.equal((await command('export', own)).code, 0);
      assert.deepEqual((await readdir(own)).sort(), ['.stoa-export', 'mine.md', `new-${one}.md`]);
      const { matter, rest } = takeFrontMatter(await readFile(join(own, `new-${one}.md`), 'utf8'));
      const { created_at: _, updated_at: __, ...stoaValues } = Object(matter?.values.stoa);
      assert.deepEqual(stoaValues, {
        id: one,
        version: 2,
        author: author.username,
        meta: { title: 'another' },
      });
      assert.deepEqual([matter?.values.title, rest], ['New', 'text']);
      await writeFile(join(own, `three-${two + 1}.md`), 'mine');
      assert.equal(await made('Three'), two + 1);
      const taken = await command('export', own);
      assert.match(taken.stderr, /three-\d+\.md is not from an export/);
      assert.equal(await readFile(join(own, `three-${two + 1}.md`), 'utf8'), 'mine');
    });

    it('An export goes again into the folder of an earlier one by a link to it', async (t) => {
      const { url, command, author } = await start(t, engine);
      const { id } = await newItem(url, author.token, { title: 'One', content: 'text' });
      const folder = await temporaryFolder(t);
      const link = join(folder, 'latest');
      await mkdir(join(folder, 'own'));
      await symlink('own', link);
      for (const _ of ['first', 'second']) {
        const { code, stderr } = await command('export', link);
        assert.equal(code, 0, stderr);
        assert.deepEqual((await readdir(join(folder, 'own'))).sort(), ['.stoa-export', `one-${id}.md`]);
      }
    });

    it('An export writes nothing through a link in the place of its list', async (t) => {
      const { command } = await start(t, engine);
      const folder = await temporaryFolder(t);
      const [own, other] = [join(folder, 'own'), join(folder, 'other')];
      await mkdir(own);
      await writeFile(other, 'mine-1.md\n');
      await writeFile(join(own, 'mine-1.md'), 'mine');
      await symlink(other, join(own, '.stoa-export'));
      const { code, stderr } = await command('export', own);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        /\.stoa-export is no file, so no export made it; remove it, and export again\.\n$/,
      );
      assert.equal(await readFile(other, 'utf8'), 'mine-1.md\n');
      assert.deepEqual((await readdir(own)).sort(), ['.stoa-export', 'mine-1.md']);
    });
  }

  it('An export that fails on its second page leaves each file of the export before, and the next one removes what is gone', async (t) => {
    const { url, command, author } = await start(t, engine);
    const folder = join(await temporaryFolder(t), 'own');
    const made = async (title: string, content: string) => {
      const body = { title, content };
      return (await call(url, 'POST', '/api/content', { token: author.token, body })).body.data.id;
    };
    const one = await made('One', 'first');
    const two = await made('Two', 'x'.repeat(MEBIBYTE));
    assert.equal((await command('export', folder)).code, 0);
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const before = await read(`one-${one}.md`);
    // The second page has the item that a file of another person keeps from being written.
    const { token } = author;
    await call(url, 'PUT', `/api/content/${two}`, { token, body: { title: 'New' } });
    const three = await made('Three', 'third');
    await writeFile(join(folder, `three-${three}.md`), 'mine');
    const failed = await command('export', folder);
    assert.match(failed.stderr, /three-\d+\.md is not from an export/);
    assert.deepEqual((await readdir(folder)).sort(), [
      '.stoa-export',
      `new-${two}.md`,
      `one-${one}.md`,
      `three-${three}.md`,
      `two-${two}.md`,
    ]);
    assert.equal(await read(`one-${one}.md`), before);

    await rm(join(folder, `three-${three}.md`));
    await call(url, 'DELETE', `/api/content/${one}`, { token });
    assert.equal((await command('export', folder)).code, 0);
    const names = ['.stoa-export', `new-${two}.md`, `three-${three}.md`];
    assert.deepEqual((await readdir(folder)).sort(), names);
    assert.deepEqual((await read('.stoa-export')).split('\n'), [...names.slice(1), '']);
  });
});

/** The lines of an export, without what belongs to its service. */
async function withoutAuthors(file: string): Promise<unknown[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const { id: _, author: __, ...members } = JSON.parse(line);
    return members;
  });
}

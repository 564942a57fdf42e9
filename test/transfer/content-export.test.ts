import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { exportContent } from '../../src/cli/content-export.ts';
import { takeFrontMatter } from '../../src/transfer/content/front-matter.ts';
import { call, newItem } from '../support/client.ts';
import { commandHere } from '../support/command-here.ts';
import { startWithCommands } from '../support/content-commands.ts';
import { onEveryEngine, onOneEngine, temporaryFolder } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { slowRows } from '../support/slow-rows.ts';

const MEBIBYTE = 1024 * 1024;
/** So many items that they are not counted in time where each of them takes 5 ms. */
const SLOW = 700;

onEveryEngine('Exports of content', (engine) => {
  it('An export as Markdown says how many drafts beside published items it leaves out', async (t) => {
    const { url, exportTo, author } = await startWithCommands(t, engine);
    const { token } = author;
    const published = await newItem(url, token, { title: 'Published', content: 'text' });
    await newItem(url, token, { title: 'Draft', content: 'text', status: 'draft' });
    const folder = join(await temporaryFolder(t), 'own');
    assert.match((await exportTo(folder)).stderr, /\n2 items were exported\.\n$/);
    const draft = { token, body: { title: 'New' } };
    assert.equal((await call(url, 'PUT', `/api/content/${published.id}/draft`, draft)).status, 200);
    const { stderr } = await exportTo(folder);
    assert.match(stderr, /\n2 items were exported\. 1 drafts beside published items were left out\.\n$/);
    assert.match((await exportTo()).stderr, /\n2 items were exported\.\n$/);
  });

  if (engine.name === 'PostgreSQL')
    it('An export of more items than can be counted in time writes all of them', async (t) => {
      const { exportTo, author, settings } = await startWithCommands(t, engine);
      await execOn(
        settings,
        `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
        SELECT ${author.id}, 'Title', 'c', '', '[]', 1, 0, 0 FROM generate_series(1, ${SLOW})`,
      );
      await slowRows(settings, 'content', 5);
      const { code, stdout, stderr } = await exportTo();
      assert.equal(code, 0, stderr);
      assert.equal(stdout.trimEnd().split('\n').length, SLOW, stderr);
      assert.match(stderr, /\n700 items were exported\.\n$/);
    });

  it('An export that fails on its second page leaves each file of the export before, and the next one removes what is gone', async (t) => {
    const { url, exportTo, author } = await startWithCommands(t, engine);
    const folder = join(await temporaryFolder(t), 'own');
    const made = async (title: string, content: string) => {
      const body = { title, content };
      return (await call(url, 'POST', '/api/content', { token: author.token, body })).body.data.id;
    };
    const one = await made('One', 'first');
    const two = await made('Two', 'x'.repeat(MEBIBYTE));
    assert.equal((await exportTo(folder)).code, 0);
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const before = await read(`one-${one}.md`);
    // The second page has the item that a file of another person keeps from being written.
    const { token } = author;
    await call(url, 'PUT', `/api/content/${two}`, { token, body: { title: 'New' } });
    const three = await made('Three', 'third');
    await writeFile(join(folder, `three-${three}.md`), 'mine');
    const failed = await exportTo(folder);
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
    assert.equal((await exportTo(folder)).code, 0);
    const names = ['.stoa-export', `new-${two}.md`, `three-${three}.md`];
    assert.deepEqual((await readdir(folder)).sort(), names);
    assert.deepEqual((await read('.stoa-export')).split('\n'), [...names.slice(1), '']);
  });
});

onOneEngine('Folders of an export of content', (engine) => {
  it('An export names its own files, and leaves those of others alone', async (t) => {
    const { url, exportTo, author } = await startWithCommands(t, engine);
    const { token } = author;
    const made = async (title: string) => {
      const body = { title, content: 'text', meta: { title: 'another' } };
      return (await call(url, 'POST', '/api/content', { token, body })).body.data.id;
    };
    const [one, two] = [await made('One'), await made('Two')];
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'mine.md'), 'mine');
    const refused = await exportTo(folder);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is not empty, and no export made it/);
    const own = join(folder, 'own');
    assert.equal((await exportTo(own)).code, 0);
    await writeFile(join(own, 'mine.md'), 'mine');
    await call(url, 'PUT', `/api/content/${one}`, { token, body: { title: 'New' } });
    await call(url, 'DELETE', `/api/content/${two}`, { token });
    assert.equal((await exportTo(own)).code, 0);
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
    const taken = await exportTo(own);
    assert.match(taken.stderr, /three-\d+\.md is not from an export/);
    assert.equal(await readFile(join(own, `three-${two + 1}.md`), 'utf8'), 'mine');
  });

  it('An export goes again into the folder of an earlier one by a link to it', async (t) => {
    const { url, exportTo, author } = await startWithCommands(t, engine);
    const { id } = await newItem(url, author.token, { title: 'One', content: 'text' });
    const folder = await temporaryFolder(t);
    const link = join(folder, 'latest');
    await mkdir(join(folder, 'own'));
    await symlink('own', link);
    for (const _ of ['first', 'second']) {
      const { code, stderr } = await exportTo(link);
      assert.equal(code, 0, stderr);
      assert.deepEqual((await readdir(join(folder, 'own'))).sort(), ['.stoa-export', `one-${id}.md`]);
    }
  });

  it('An export writes nothing through a link in the place of its list', async (t) => {
    const settings = await engine.settings(t);
    const folder = await temporaryFolder(t);
    const [own, other] = [join(folder, 'own'), join(folder, 'other')];
    await mkdir(own);
    await writeFile(other, 'mine-1.md\n');
    await writeFile(join(own, 'mine-1.md'), 'mine');
    await symlink(other, join(own, '.stoa-export'));
    const { code, stderr } = await commandHere(settings, (config) => exportContent(config, own));
    assert.equal(code, 1, stderr);
    assert.match(stderr, /\.stoa-export is no file, so no export made it; remove it, and export again\.\n$/);
    assert.equal(await readFile(other, 'utf8'), 'mine-1.md\n');
    assert.deepEqual((await readdir(own)).sort(), ['.stoa-export', 'mine-1.md']);
  });
});

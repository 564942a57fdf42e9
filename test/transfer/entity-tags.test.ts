// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { importContent } from '../../src/cli/content-import.ts';
import { restore } from '../../src/cli/restore.ts';
import { backUpHere } from '../support/backup.ts';
import { call, login, newAccount } from '../support/client.ts';
import { commandHere } from '../support/command-here.ts';
import { type Lifetime, onEveryEngine, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { move } from '../support/move.ts';
import { DIRECTIONS, newMigratedPlace } from '../support/place.ts';
import { startService } from '../support/service.ts';

const FEEDS = { PUBLIC_URL: 'https://api.example.org', CONTENT_URL: 'https://example.org/{id}' };
const ITEM = '/api/content/1';
const DRAFT = `${ITEM}/draft`;
const PATHS = [
  ...[ITEM, `${ITEM}?fields=title`, `${ITEM}?format=html`, '/api/content/by-slug/one', DRAFT],
  ...['/api/content', '/api/content?fields=title', '/api/content?status=with_draft'],
  ...['/api/feeds/atom', '/api/feeds/json'],
];

/** A service on the database of these settings, and its only author. */
async function serve(t: Lifetime, settings: Record<string, string>, isNew = false) {
  const service = await startService(t, { name: '', settings: async () => settings }, FEEDS);
  const { url } = service;
  const { token } = isNew ? await newAccount(url, 'ada') : await login(url, 'ada');
  const get = (path: string, tag?: string) => {
    const headers = { authorization: `Bearer ${token}`, ...(tag && { 'if-none-match': tag }) };
    return fetch(url + path, { headers });
  };
  const change = (path: string, tag: string, title: string) =>
    call(url, 'PUT', path, { token, headers: { 'if-match': tag }, body: { title } });
  /** The entity tags of all paths. */
  const tags = () => Promise.all(PATHS.map(async (path) => String((await get(path)).headers.get('etag'))));
  /** What is answered to clients that have these. */
  const statuses = (known: readonly string[]) =>
    Promise.all(PATHS.map(async (path, index) => (await get(path, known[index])).status));
  return { ...service, settings, tags, statuses, change };
}

type Service = Awaited<ReturnType<typeof serve>>;

/** Imports an item and its draft, with times. */
async function importItem(t: Lifetime, { settings }: Service, content: string): Promise<void> {
  const [created_at, updated_at] = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'];
  const draft = { content: `${content} and more`, saved_at: updated_at };
  const file = join(await temporaryFolder(t), 'items.ndjson');
  const item = JSON.stringify({ title: 'One', content, created_at, updated_at, draft });
  await writeFile(file, item);
  const { code, stderr } = await commandHere(settings, (config) =>
    importContent(config, file, { author: 'ada' }),
  );
  assert.equal(code, 0, stderr);
}

/** Of these tags the service takes none, and its refusal says which version the item and its draft are at. */
async function assertForeign({ change, statuses, tags }: Service, known: readonly string[]): Promise<void> {
  const before = await tags();
  assert.deepEqual(
    await statuses(known),
    PATHS.map(() => 200),
  );
  for (const path of [ITEM, DRAFT]) {
    const refused = await change(path, known[PATHS.indexOf(path)] ?? '', 'lost');
    assertFailure(refused, 412, 'version_conflict');
    assert.equal(refused.body.data.version, 1);
  }
  assert.deepEqual(await tags(), before);
}

/** As version 0.2.0 made the tag. */
const withoutEpoch = (tag = '') =>
  tag.startsWith('"draft-') ? `${tag.split('-', 3).join('-')}"` : tag.replace(/-[\w-]{6}\./, '-');

onEveryEngine('The entity tags of an import', (engine) => {
  it('The same times in two new databases have other entity tags in each, so neither takes a tag of the other', async (t) => {
    const here = await serve(t, await engine.settings(t), true);
    const there = await serve(t, await engine.settings(t), true);
    await importItem(t, here, 'A text');
    await importItem(t, there, 'B text');
    const known = await here.tags();
    assert.deepEqual(
      await here.statuses(known),
      PATHS.map(() => 304),
    );
    const others = new Set(await there.tags());
    assert.deepEqual(
      known.filter((tag) => others.has(tag)),
      [],
    );
    await assertForeign(there, known);
  });
});

for (const [fromName, toName, newSource, newTarget] of DIRECTIONS) {
  describe(`Entity tags of ${fromName} in ${toName}`, { concurrency: true }, () => {
    it('A restored database takes no entity tag from before, and a moved one takes all of them', async (t) => {
      const [source, moved, restored] = await Promise.all(
        [newSource, newTarget, newTarget].map((newPlace) => newMigratedPlace(t, newPlace)),
      );
      assert.ok(source && moved && restored);
      const first = await serve(t, { DATABASE_URL: source.url }, true);
      await importItem(t, first, 'A text');
      const known = await first.tags();
      await first.stop();
      const file = join(await temporaryFolder(t), 'backup.zst');
      await backUpHere({ DATABASE_URL: source.url }, file);
      const made = await commandHere({ DATABASE_URL: restored.url }, (config) =>
        restore(config, file, undefined),
      );
      assert.equal(made.code, 0, made.stderr);
      assert.equal((await move(source, moved)).code, 0);

      const after = await serve(t, { DATABASE_URL: restored.url });
      await assertForeign(after, known);
      await assertForeign(after, known.map(withoutEpoch));
      // What version 0.2.0 has written after a restore is here.
      const newer = await after.change(ITEM, '*', 'two');
      const again = await after.change(ITEM, withoutEpoch(String(newer.headers.get('etag'))), 'three');
      assert.equal(again.status, 200);

      const elsewhere = await serve(t, { DATABASE_URL: moved.url });
      assert.deepEqual(
        await elsewhere.statuses(known),
        PATHS.map(() => 304),
      );
      for (const path of [ITEM, DRAFT])
        assert.equal((await elsewhere.change(path, known[PATHS.indexOf(path)] ?? '', 'two')).status, 200);
    });
  });
}

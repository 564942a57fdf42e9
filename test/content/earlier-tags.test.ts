// Needs: processes.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { ENGINES, onEveryEngine, postgres, type TestEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startProcess } from '../support/process.ts';
import { releasedDatabase, releasedService, VERSIONS } from '../support/released-version.ts';
import { startHere } from '../support/service.ts';

const [NEWEST = ''] = VERSIONS.slice(-1);

/** An instance of the newest released version, with an item of its own and a draft beside that. */
async function startReleased(t: TestContext, engine: TestEngine) {
  const { settings } = await releasedDatabase(t, engine, NEWEST);
  const old = await startProcess(t, { ...settings, CONSOLE: 'off' }, await releasedService(t, NEWEST));
  const { token } = await newAccount(old.url);
  const { id } = await newItem(old.url, token);
  const item = `/api/content/${id}`;
  const draft = `${item}/draft`;
  const begun = await call(old.url, 'PUT', draft, { token, body: { title: 'draft' } });
  assert.equal(begun.status, 200);
  const tagOf = async (url: string, path: string) => {
    const { headers } = await call(url, 'GET', path, { token, undocumented: true });
    return headers.get('etag') ?? '';
  };
  const change = (url: string, path: string, tag: string, title: string) =>
    call(url, 'PUT', path, { token, undocumented: true, headers: { 'if-match': tag }, body: { title } });
  const startNew = () => startHere(t, settings);
  return { old, settings, item, draft, tagOf, change, startNew };
}

onEveryEngine('An entity tag of the version before', (engine) => {
  it(`If-Match takes what ${NEWEST} has given out after the upgrade, until the next change`, async (t) => {
    const { old, item, draft, tagOf, change, startNew } = await startReleased(t, engine);
    const tags = [await tagOf(old.url, item), await tagOf(old.url, draft)];
    assert.equal(await old.stop('SIGTERM'), 0);
    const { url } = await startNew();
    for (const [index, path] of [item, draft].entries()) {
      const tag = tags[index] ?? '';
      assert.equal((await change(url, path, tag, 'after the upgrade')).status, 200, tag);
      const late = await change(url, path, tag, 'late');
      assertFailure(late, 412, 'version_conflict');
      assert.equal(late.body.data.version, 2);
    }
  });
});

it(`While instances of ${NEWEST} and of this version run, each takes the tags of items of the other`, {
  skip: !ENGINES.includes(postgres),
}, async (t) => {
  const { old, settings, item, draft, tagOf, change, startNew } = await startReleased(t, postgres);
  await migrateStore(readConfig(settings).database);
  const { url } = await startNew();
  const turns = [old.url, url, old.url, url];
  for (const [index, to] of turns.entries()) {
    const from = to === url ? old.url : url;
    assert.equal((await change(to, item, await tagOf(from, item), `turn ${index}`)).status, 200);
  }
  assert.equal((await change(url, draft, await tagOf(old.url, draft), 'new')).status, 200);
  const refused = await change(old.url, draft, await tagOf(url, draft), 'old');
  assert.deepEqual([refused.status, refused.body.data.version], [412, 2], 'it reads the draft again');
});

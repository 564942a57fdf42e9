// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Account, call, newAccount, newName } from '../support/client.ts';
import { onEveryEngine, sameDatabase, temporaryFolder } from '../support/engines.ts';
import { giveRole } from '../support/make-admin.ts';
import { startProcess } from '../support/process.ts';
import { untilThere } from '../support/until.ts';

const COUNT = 300;

async function done(url: string, who: Account, method: string, path: string, body?: object) {
  const answer = await call(url, method, path, { token: who.token, ...(body && { body }) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

onEveryEngine('A renaming whose process is killed', (engine) => {
  it('A renaming of labels goes on after a kill, changes each item once, counts right and ends once', async (t) => {
    const database = await sameDatabase(t, engine);
    const settings = { ...(await database.settings(t)), DATA_DIR: await temporaryFolder(t) };
    let service = await startProcess(t, settings);
    const admin = await newAccount(service.url);
    await giveRole(settings, 'admin', admin);
    for (let count = 0; count < COUNT; count += 100)
      await done(service.url, admin, 'POST', '/api/content/bulk', {
        operations: Array.from({ length: 100 }, () => ({
          action: 'create',
          item: { title: 'One of many', content: 'c', tags: ['old', 'other'] },
        })),
      });
    // Where the machine was too slow to kill it in the middle, the next renaming takes the name back.
    let [from, name] = ['old', newName('kept')];
    let renamings = 0;
    for (let isKilled = false; !isKilled; ) {
      if (renamings > 0) [from, name] = [name, from];
      await done(service.url, admin, 'PUT', `/api/content/tags/${from}`, { name });
      renamings++;
      for (;;) {
        const { items_changed, ended_at } = await done(
          service.url,
          admin,
          'GET',
          `/api/content/tags/${from}`,
        );
        if (ended_at !== null) break;
        if (items_changed === 0) continue;
        assert.equal(await service.stop('SIGKILL'), 'SIGKILL');
        isKilled = true;
        break;
      }
    }
    service = await startProcess(t, settings);
    const rename = await untilThere(async () => {
      const last = await done(service.url, admin, 'GET', `/api/content/tags/${from}`);
      return last.ended_at === null ? undefined : last;
    }, 'the renaming ends');
    assert.equal(rename.items_changed, COUNT);
    for (let page = 1; page <= COUNT / 100; page++) {
      const list = await done(service.url, admin, 'GET', `/api/content?per_page=100&page=${page}`);
      for (const { tags, version } of list.items)
        assert.deepEqual([tags, version], [[name, 'other'], renamings + 1]);
    }
    assert.deepEqual((await done(service.url, admin, 'GET', '/api/content/tags')).items, [
      { name, count: COUNT },
      { name: 'other', count: COUNT },
    ]);
    const { items } = await done(service.url, admin, 'GET', '/api/audit?per_page=100');
    const events = items.filter(({ event }: { event: string }) => event === 'label_rename_ended');
    assert.equal(events.length, renamings);
  });
});

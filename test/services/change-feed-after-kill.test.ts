// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/open-store.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine, PATIENCE, sameDatabase } from '../support/engines.ts';
import { feedUntil, versionsByItem } from '../support/feed.ts';
import { startProcess } from '../support/process.ts';
import { withSealingKey } from '../support/sealing.ts';

onEveryEngine('The feed after a kill', (engine) => {
  it('The feed has every acknowledged change once after the service was killed at any moment', async (t) => {
    const settings = await (await sameDatabase(t, engine)).settings(t);
    const acknowledged = new Set<number>();
    for (const most of [9, 40]) {
      const service = await startProcess(t, settings);
      const { token } = await newAccount(service.url);
      const body = { title: 't', content: '' };
      const write = async () => {
        for (;;) {
          const answer = await call(service.url, 'POST', '/api/content', { token, body }).catch(
            () => undefined,
          );
          if (answer?.status !== 200) return;
          acknowledged.add(answer.body.data.id);
          if (acknowledged.size >= most) service.child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: 8 }, write));
      await service.stop('SIGKILL');
    }
    const service = await startProcess(t, settings);
    const last = await newAccount(service.url);
    const { database } = readConfig(withSealingKey(settings));
    const store = await openStore(database, { notice: () => {}, patience: PATIENCE });
    t.after(() => store.close());
    const feed = await feedUntil(store, 0, ({ account_id }) => account_id === last.id);
    const versions = versionsByItem(feed);
    for (const id of acknowledged) assert.deepEqual(versions.get(id), [1], `item ${id}`);
    assert.equal(new Set(feed.map(({ number }) => number)).size, feed.length);
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onOneEngine('Versions that are read', (engine) => {
  it('An account reads two versions at the same time, and its other reads of versions wait for their turn', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    // A service that is closed waits for its reads.
    t.after(() => release());
    let begun = 0;
    const before = (name: string) => {
      if (name !== 'versions.find') return undefined;
      begun++;
      return released;
    };
    const wrap = (store: Store) => observed(store, { before });
    const { url } = await startService(t, engine, {}, { wrap });
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token);
    const read = () => call(url, 'GET', `/api/content/${id}/versions/1`, { token });
    const reads = Array.from({ length: 8 }, read);
    await until(() => begun === 2, 'two are read');
    // Each of these has passed all that a read passes before its turn.
    await call(url, 'GET', `/api/content/${id}/versions`, { token });
    assert.equal(begun, 2);
    release();
    assert.deepEqual(new Set((await Promise.all(reads)).map(({ status }) => status)), new Set([200]));
    assert.equal(begun, 8);
  });
});

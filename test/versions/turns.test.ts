import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { scrape } from '../support/metrics.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onOneEngine('Versions that are read', (engine) => {
  it('Two versions are read at the same time, whoever reads them, and others wait for their turn, as the metrics say', async (t) => {
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
    const service = await startService(t, engine, { METRICS_PORT: '0' }, { wrap });
    const { url } = service;
    const readers = [await newAccount(url), await newWithRole(service, 'admin')] as const;
    const { id } = await newItem(url, readers[0].token);
    const get = (path: string) => readers.map(({ token }) => call(url, 'GET', path, { token }));
    const reads = Array.from({ length: 4 }, () => get(`/api/content/${id}/versions/1`)).flat();
    await until(() => begun >= 2, 'two are read');
    // Each of these has passed all that a read passes before its turn.
    await Promise.all(get(`/api/content/${id}/versions`));
    assert.equal(begun, 2);
    const metrics = await scrape(service);
    assert.equal(metrics.value('stoa_admission_waiting', { kind: 'version' }), 6);
    for (const kind of ['difference', 'html', 'delta'])
      assert.equal(metrics.value('stoa_admission_waiting', { kind }), 0);
    for (const reason of ['versions', 'differences', 'html', 'deltas'])
      assert.equal(metrics.value('stoa_admission_refused_total', { reason }), 0);
    release();
    assert.deepEqual(new Set((await Promise.all(reads)).map(({ status }) => status)), new Set([200]));
    assert.equal(begun, 8);
  });
});

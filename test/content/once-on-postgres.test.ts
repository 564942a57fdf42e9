// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bulkContent } from '../../src/bulk/bulk.ts';
import { newRow } from '../../src/content/create.ts';
import { createContentOnce } from '../../src/content/create-once.ts';
import { during, outcomeOf } from '../support/during.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

const ROW = newRow({ title: 't', content: 'c' });

describe('A key on PostgreSQL', () => {
  it('A write waits for another one that has written its key, and then makes nothing', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openInstance(url);
    t.after(() => store.close());
    const caller = await newCaller(store);
    const key = { userId: caller.userId, keyHash: 'k', fingerprint: 'f' };
    const writes = () => [
      store.write(createContentOnce, { key, row: ROW, caller, now: 1 }),
      store.write(bulkContent, {
        key: { ...key, keyHash: 'l' },
        steps: [{ action: 'create', row: ROW }],
        isForGood: false,
        caller,
        now: 1,
      }),
    ];
    // Without the lock by name, as only the constraint decides.
    const others = ['k', 'l'].map(
      (name) => `insert into idempotency_keys values ('${name}', ${caller.userId}, 'f', '[]', 9)`,
    );
    const outcomes = await during(url, others, 2, () => writes().map(outcomeOf));
    assert.deepEqual(outcomes, ['request_in_progress', 'request_in_progress']);
    assert.deepEqual(await execute(url, 'select id from content'), []);
    const again = await Promise.all(writes());
    assert.deepEqual(
      again.map(({ answer, isNew }) => [answer, isNew]),
      [
        ['[]', false],
        ['[]', false],
      ],
    );
  });
});

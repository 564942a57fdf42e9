import assert from 'node:assert/strict';
import { it } from 'node:test';
import { importBatch } from '../../src/cli/import-batch.ts';
import { newRow } from '../../src/content/create.ts';
import { onEveryEngine } from '../support/engines.ts';
import { openTestStore } from '../support/store.ts';

const OPERATIONS = new URL('../../src/operations.ts', import.meta.url).href;

onEveryEngine('Imports of items', (engine) => {
  it('A database that is away ends an import of items, and is no refusal of one of them', async (t) => {
    const store = await openTestStore(t, engine, { operationsUrl: OPERATIONS });
    const item = (source: string) => ({
      ...{ author: 'ada', source, fingerprint: source, row: newRow({ title: 't', content: '' }) },
      ...{ staying: [], createdAt: undefined, updatedAt: undefined },
    });
    const [first, second] = [item('1'), item('2')];
    assert.match(
      JSON.stringify(await importBatch(store, [first, second])),
      /(refusal.*){2}/,
      'no such author',
    );
    await store.close();
    for (const items of [[first], [first, second]]) await assert.rejects(importBatch(store, items));
  });
});

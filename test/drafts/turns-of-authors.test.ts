import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { newAccount, newItem } from '../support/client.ts';
import { feedAfter } from '../support/feed.ts';
import { observed } from '../support/observed.ts';
import { PLACES } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const LATER = '2100-01-01T00:00:00Z';
/** Long drafts of one author, and beyond how many the next round begins. */
const [MANY, ROUND] = [12, 5];

interface Found {
  readonly due: readonly { readonly id: number }[];
  readonly isMore: boolean;
}

function isFound(output: unknown): output is Found {
  return typeof output === 'object' && output !== null && 'due' in output && Array.isArray(output.due);
}

for (const { name, newPlace } of PLACES)
  describe(`Authors whose drafts are due, on ${name}`, { concurrency: true }, () => {
    it('A draft is published before the second one of an author who has many long ones that are due longer', async (t) => {
      const place = await newPlace(t);
      const rounds: number[][] = [];
      const followed: boolean[] = [];
      const afterRead = (output: unknown) => {
        if (!isFound(output) || output.due.length === 0) return;
        rounds.push(output.due.map(({ id }) => id));
        followed.push(output.isMore);
      };
      const engine = { name, settings: async () => ({ DATABASE_URL: place.url }) };
      const wrap = (store: Store) => observed(store, { afterRead });
      const { url, store } = await startService(t, engine, {}, { wrap });
      const [many, one] = [await newAccount(url), await newAccount(url)];
      const draft = { status: 'draft', publish_at: LATER };
      for (let item = 0; item < MANY; item++)
        await newItem(url, many.token, { ...draft, content: 'x'.repeat(MIB) });
      const { id } = await newItem(url, one.token, draft);
      // In one statement, so that a round sees all of them.
      await place.sql(`UPDATE content SET publish_at = CASE WHEN id = ${id} THEN 2 ELSE 1 END`);
      const published = async () =>
        (await feedAfter(store, 0)).filter(({ event }) => event === 'content.published');
      await until(async () => (await published()).length === MANY + 1, 'all are published');
      assert.equal(rounds[0]?.indexOf(id), 1, 'it is the second one of the first round');
      for (const round of rounds) assert.ok(round.length <= ROUND, `a round has ${round.length}`);
      const last = followed.pop();
      assert.deepEqual([new Set(followed), last], [new Set([true]), false], 'the next round begins at once');
    });
  });

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, call } from './client.ts';

const WRITERS = 8;
/** Each thinks this long between two pairs: a backup gets idle time only, and takes long where there is none. */
const THINKS_MS = 50;

/**
 * Writers that make pairs of items, each pair with a title of its own and in one transaction, until they are stopped.
 * `wrote` resolves when each has made this many more, and `areRefused` when each was refused this many times: from its
 * call on, no request may be answered with 200.
 */
export function startPairWriters(url: string, { token }: Pick<Account, 'token'>) {
  const titles: string[] = [];
  const [made, refused] = [0, 1].map(() => Array.from({ length: WRITERS }, () => 0));
  let [goesOn, isLost] = [true, false];
  let noted = () => {};
  const write = async (_: number, writer: number) => {
    for (let pair = 0; goesOn; pair++) {
      const item = { title: `${writer}.${pair}`, content: 'One of two. '.repeat(40) };
      const operations = [1, 2].map(() => ({ action: 'create', item }));
      const wasLost = isLost;
      const { status, body } = await call(url, 'POST', '/api/content/bulk', { token, body: { operations } });
      assert.ok(status === 503 || (status === 200 && !wasLost), `${status} ${JSON.stringify(body)}`);
      if (status === 200) titles.push(item.title);
      // On a busy machine the database may answer too late. It has made both items or none.
      const counts = status === 200 ? made : refused;
      if (counts) counts[writer] = (counts[writer] ?? 0) + 1;
      noted();
      await sleep(THINKS_MS);
    }
  };
  const all = Promise.all(Array.from({ length: WRITERS }, () => 0).map(write));
  const each = (counts: readonly number[] = [], more: number) => {
    const goals = counts.map((count) => count + more);
    const reached = new Promise<void>((resolve) => {
      noted = () => counts.every((count, index) => count >= (goals[index] ?? 0)) && resolve();
    });
    return Promise.race([all, reached]);
  };
  return {
    titles,
    wrote: (more: number) => each(made, more),
    areRefused: (more: number) => {
      isLost = true;
      return each(refused, more);
    },
    stop: async () => {
      goesOn = false;
      await all;
    },
  };
}

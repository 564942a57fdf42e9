import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../src/domain/reason.ts';
import { call, newAccount } from './client.ts';
import type { Lifetime } from './engines.ts';
import { sendOn } from './on-agent.ts';
import type { Place } from './place.ts';
import { until } from './until.ts';

const CLIENTS = 16;
/** Each client thinks this long between two writes, so that a write is under way at most moments, and not thousands. */
const THINKS_MS = 50;
/** Codes of a connection that ended while its process was killed. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'ECONNREFUSED'];

/** Clients that create items one after another, and remember those that were acknowledged. */
export async function startWriters(
  t: Lifetime,
  service: { readonly url: string },
  { sql }: Pick<Place, 'sql'>,
) {
  const { token } = await newAccount(service.url);
  const before = (await sql('SELECT id FROM content')).length;
  const acknowledged = new Set<number>();
  const broken: string[] = [];
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  const write = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    while (!isOver) {
      try {
        const made = await sendOn(agent, service.url, 'POST', '/api/content', token, {
          title: 'x',
          content: 'x',
        });
        // PostgreSQL may wait for the locks of a connection that has just been cut.
        if (made.status === 503) broken.push(made.body.data.error);
        else {
          assert.equal(made.status, 200, JSON.stringify(made.body));
          acknowledged.add(made.body.data.id);
        }
        await sleep(THINKS_MS);
      } catch (error) {
        const code = BROKEN.find((each) => hasCode(error, each));
        if (code === undefined) throw error;
        broken.push(code);
        await sleep(20);
      }
    }
  };
  const writers = Promise.all(Array.from({ length: CLIENTS }, write));
  writers.catch(() => {});
  /** The database has each acknowledged item, and no more others than answers were lost. */
  const checkStored = async () => {
    const stored = new Set((await sql('SELECT id FROM content')).map(({ id }) => Number(id)));
    assert.deepEqual([...acknowledged.difference(stored)], [], 'items that are lost');
    const items = stored.size - before;
    assert.ok(items <= acknowledged.size + broken.length, `${items} items`);
  };
  return {
    broken,
    /** Resolves when this many more writes were acknowledged. */
    more: async (count: number) => {
      const enough = acknowledged.size + count;
      await Promise.race([until(() => acknowledged.size >= enough, 'writes go on'), writers]);
    },
    stop: async () => {
      isOver = true;
      await writers;
    },
    checkStored,
    check: async (url: string) => {
      await checkStored();
      const [newest = 0] = [...acknowledged].slice(-1);
      assert.equal((await call(url, 'GET', `/api/content/${newest}`)).status, 200);
    },
  };
}

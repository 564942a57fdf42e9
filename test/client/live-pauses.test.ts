import assert from 'node:assert/strict';
import { after, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Client } from '../../client/src/index.ts';
import { listen } from '../../client/src/live.ts';

// The tests run one after another, because the clock is that of the process.
mock.timers.enable({ apis: ['setTimeout'] });
// Pauses are neither shorter nor longer than they are meant.
mock.method(Math, 'random', () => 0.5);
after(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const STEP_MS = 500;
/** Milliseconds of the clock of the process. */
let now = 0;

async function pass(milliseconds: number): Promise<void> {
  for (const until = now + milliseconds; now < until; now += STEP_MS) {
    // What has come is read meanwhile.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    mock.timers.tick(STEP_MS);
  }
}

it('A stream that the service ends soon, as with eleven listeners of one account, is opened again at longer and longer pauses', async (t) => {
  let opened: number[] = [];
  let end = () => {};
  let lifeMs = 0;
  const call = async () => {
    opened.push(now);
    const data = new ReadableStream<Uint8Array>({
      start: (output) => {
        output.enqueue(Buffer.from('id: 100.1\n\n'));
        end = () => output.close();
      },
    });
    if (lifeMs === 0) end();
    return { ok: true, data };
  };
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  void listen({ call } as unknown as Pick<Client, 'call'>, { signal: leaving.signal }).next();
  await pass(60_000);
  const seconds = opened.map((at) => at / 1000);
  assert.deepEqual(seconds, [0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5]);

  opened = [];
  lifeMs = 15_000;
  await pass(1_000);
  assert.equal(opened.length, 1);
  await pass(lifeMs);
  // As a proxy does that ends each answer after a time.
  end();
  const ended = now;
  await pass(1_000);
  assert.deepEqual(opened.slice(1), [ended + STEP_MS], 'after one that lived, the pause is short');
});

it('A stream that is refused as one too many, or as too early, is asked for again when the service says', async (t) => {
  const began = now;
  const opened: number[] = [];
  const call = async () => {
    opened.push((now - began) / 1000);
    const status = opened.length === 1 ? 429 : 503;
    return { ok: false, status, retryAfter: 20, error: { error: 'too_many_requests', message: 'Later.' } };
  };
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  void listen({ call } as unknown as Pick<Client, 'call'>, { signal: leaving.signal }).next();
  await pass(50_000);
  assert.deepEqual(opened, [0, 20, 40]);
});

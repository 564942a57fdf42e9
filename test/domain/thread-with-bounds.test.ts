import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { Thread } from '../../src/domain/thread.ts';
import { BoundedThread } from '../../src/domain/thread-with-bounds.ts';

const MODULE = new URL('../../src/services/rendering/rendering-thread.ts', import.meta.url);

/** Takes longer than any patience. */
const DEAR = '[a](<b>'.repeat(140_000);

function newThread(patience: number, old: number): BoundedThread<string, string> {
  const accepts = (html: unknown) => typeof html === 'string';
  return new BoundedThread<string, string>(MODULE, { patience, memory: { old, young: 8 }, accepts });
}

it('The thread of a call that takes too long has ended when the call is given up', async () => {
  const thread = newThread(400, 80);
  let isOver = false;
  process.once('worker', (worker: Worker) =>
    worker.once('exit', () => {
      isOver = true;
    }),
  );
  assert.ok('met' in (await thread.call(DEAR)));
  assert.ok(isOver);
});

it('A call that needs more memory than there is ends its thread as one that takes too long, and the next is answered', async () => {
  const thread = newThread(60_000, 24);
  const [first, next] = [thread.call('*x* '.repeat(100_000)), thread.call('*x*')];
  assert.deepEqual([await first, await next], [{ met: 'cost' }, { output: '<p><em>x</em></p>\n' }]);
});

it('A call that takes too long says whether it used that much of a processor, or only the clock ran out', async (t) => {
  const thread = newThread(100, 80);
  let used = 0;
  t.mock.method(Thread.prototype, 'processorTime', async () => used);
  assert.deepEqual(await thread.call(DEAR), { met: 'clock' });
  t.mock.method(Thread.prototype, 'processorTime', async () => (used += 100));
  assert.deepEqual(await thread.call(DEAR), { met: 'cost' });
});

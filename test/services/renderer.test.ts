import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { Renderer } from '../../src/services/rendering/renderer.ts';

class TooDear extends Error {}

const tooDear = () => new TooDear();

it('The thread of a text that takes too long has ended when the text is given up', async () => {
  const renderer = new Renderer({ patience: 400, memory: 80, tooDear });
  let isOver = false;
  process.once('worker', (worker: Worker) =>
    worker.once('exit', () => {
      isOver = true;
    }),
  );
  // Takes longer than any patience.
  await assert.rejects(renderer.html('[a](<b>'.repeat(140_000)), TooDear);
  assert.ok(isOver);
});

it('A text that needs more memory than there is ends its thread as one that takes too long, and the next is made', async () => {
  const renderer = new Renderer({ patience: 60_000, memory: 24, tooDear });
  await assert.rejects(renderer.html('*x* '.repeat(100_000)), TooDear);
  assert.equal(await renderer.html('*x*'), '<p><em>x</em></p>\n');
});

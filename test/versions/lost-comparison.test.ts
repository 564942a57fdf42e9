// Needs: PostgreSQL, and a process of its own.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { BoundedThread } from '../../src/domain/thread-with-bounds.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { ENGINES } from '../support/engines.ts';
import { startService } from '../support/service.ts';

/** Mebibytes, of the 512 that the whole service may take. */
const MOST_MEMORY = 128;

const limits: Worker['resourceLimits'][] = [];
process.on('worker', (worker: Worker) => {
  if (worker.threadName === 'difference-thread') limits.push(worker.resourceLimits);
});

for (const engine of ENGINES)
  it(`A comparison that needs more memory than its thread may take is made without lines and words, on ${engine.name}`, async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token, { content: 'same\none\nmiddle\ntwo\nlast\n' });
    const body = { content: 'same\nthree\nmiddle\nfour\nlast\n' };
    await call(url, 'PUT', `/api/content/${id}`, { token, body });
    // The thread is lost with its first call.
    const { mock } = t.mock.method(BoundedThread.prototype, 'call');
    mock.mockImplementationOnce(async () => undefined);
    const compare = () => call(url, 'GET', `/api/content/${id}/versions/2/difference`, { token });
    const coarse = await compare();
    assert.equal(coarse.status, 200, JSON.stringify(coarse.body));
    assert.deepEqual(coarse.body.data.content, [
      {
        from_line: 2,
        to_line: 2,
        parts: [
          { kind: 'removed', text: 'one\nmiddle\ntwo\n' },
          { kind: 'added', text: 'three\nmiddle\nfour\n' },
        ],
      },
    ]);
    assert.equal((await compare()).body.data.content.length, 2, 'the next one has lines again');
    const [limit] = limits;
    const memory = (limit?.maxOldGenerationSizeMb ?? Infinity) + (limit?.maxYoungGenerationSizeMb ?? 0);
    assert.ok(memory <= MOST_MEMORY, `its thread may take ${memory} MiB`);
  });

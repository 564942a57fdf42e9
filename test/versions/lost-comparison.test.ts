// Needs: PostgreSQL, and a process of its own.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { BoundedThread } from '../../src/domain/thread-with-bounds.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';

/** Mebibytes, of the 512 that the whole service may take. */
const MOST_MEMORY = 128;

const limits: Worker['resourceLimits'][] = [];
process.on('worker', (worker: Worker) => {
  if (worker.threadName === 'difference-thread') limits.push(worker.resourceLimits);
});

// The thread of comparisons, which no database knows of.
onOneEngine('A comparison whose thread is lost', (engine) => {
  it('A comparison that needs more memory than its thread may take is made without lines and words, and so are the next ones of its account', async (t) => {
    const service = await startService(t, engine);
    const { url } = service;
    const [{ token }, other] = [await newAccount(url), await newWithRole(service, 'admin')];
    const { id } = await newItem(url, token, { content: 'same\none\nmiddle\ntwo\nlast\n' });
    const body = { content: 'same\nthree\nmiddle\nfour\nlast\n' };
    await call(url, 'PUT', `/api/content/${id}`, { token, body });
    // The thread is lost with its first call. With real texts, whether the memory or the comparison ends first depends
    // on how fast the machine is.
    const { mock } = t.mock.method(BoundedThread.prototype, 'call');
    mock.mockImplementationOnce(async () => ({ met: 'cost' }));
    const compare = (by: string) =>
      call(url, 'GET', `/api/content/${id}/versions/2/difference`, { token: by });
    const coarse = await compare(token);
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
    assert.equal((await compare(token)).body.data.content.length, 1, 'the next one has no lines either');
    assert.equal(mock.callCount(), 3, 'it is coarse at once');
    assert.equal((await compare(other.token)).body.data.content.length, 2, 'another account has lines');
    const [limit] = limits;
    const memory = (limit?.maxOldGenerationSizeMb ?? Infinity) + (limit?.maxYoungGenerationSizeMb ?? 0);
    assert.ok(memory <= MOST_MEMORY, `its thread may take ${memory} MiB`);
  });
});

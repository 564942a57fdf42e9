import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { WorkerOptions } from 'node:worker_threads';
import type { Failure } from '../../src/domain/failure.ts';
import { Thread } from '../../src/domain/thread.ts';
import { newFlag } from '../support/flag.ts';

const DYING = new URL('../support/dying-thread.ts', import.meta.url);
const FORGING = new URL('../support/forging-thread.ts', import.meta.url);
const MISSING = new URL('../support/no-such-thread.ts', import.meta.url);

describe('Threads that answer calls', { concurrency: true }, () => {
  it('A thread that ends keeps what it answered, fails the calls behind, and starts with the next call', async () => {
    // From a turn of its own, so that the end of the thread is seen before its last answer.
    await setImmediate();
    const { thread, lost } = newThread(DYING);
    const answered = thread.call('done');
    await setImmediate();
    const behind = thread.call('behind');
    // The answer and the end are there when this thread looks again.
    Atomics.wait(newFlag(), 0, 0, 500);
    assert.equal(await answered, 'done');
    await assert.rejects(behind, /lost: The thread dies/);
    assert.deepEqual(lost, ['The thread dies.']);
    assert.equal(await thread.call('again'), 'again');
  });

  it('A thread reports an error at its end', async () => {
    const { thread, lost } = newThread(DYING);
    await thread.start();
    await thread.close();
    assert.deepEqual(lost, ['The thread dies.']);
    await assert.rejects(thread.call('later'), /is closed/);
  });

  it('A thread that cannot start fails its start and its calls with the reason', async () => {
    const { thread, lost } = newThread(MISSING);
    const call = assert.rejects(thread.call('any'), { code: /MODULE_NOT_FOUND$/ });
    await assert.rejects(thread.start(), { code: /MODULE_NOT_FOUND$/ });
    await call;
    await assert.rejects(thread.call('again'), { code: /MODULE_NOT_FOUND$/ });
    assert.deepEqual(lost, []);
  });

  it('A thread that cannot be made fails its start and its calls with the reason, and the next call tries again', async () => {
    const execArgv = ['--no-such-flag'];
    const { thread, lost } = newThread(DYING, { execArgv });
    const call = thread.call('any');
    await assert.rejects(call, { code: 'ERR_WORKER_INVALID_EXEC_ARGV' });
    await assert.rejects(thread.start(), { code: 'ERR_WORKER_INVALID_EXEC_ARGV' });
    assert.deepEqual(lost, []);
    execArgv.pop();
    assert.equal(await thread.call('again'), 'again');
  });

  it('A thread refuses a call beyond its limit as busy', async () => {
    const { thread } = newThread(DYING);
    const calls = [thread.call('1'), thread.call('2')];
    await assert.rejects(thread.call('3'), ({ data }: Failure) => data.error === 'busy');
    assert.deepEqual(await Promise.all(calls), ['1', '2']);
  });

  const yes = { ok: true, value: 'forged' };
  for (const [what, message] of Object.entries({
    'a number that was not given yet': { first: 4, outcomes: [yes] },
    'the number of a later call': { first: 3, outcomes: [yes] },
    'a number that was answered before': { first: 1, outcomes: [yes] },
    'more outcomes than calls': { first: 2, outcomes: [yes, yes, yes] },
    'no outcomes': { first: 2 },
    'an outcome that is nearly yes': { first: 2, outcomes: [{ ok: 1, value: 'forged' }] },
    'what a watcher posts': { 'watch:import': ['file:///a.ts'] },
    nothing: null,
  })) {
    it(`A thread that sends ${what} is ended, and fails its calls`, async () => {
      const { thread, lost } = newThread(FORGING);
      assert.equal(await thread.call('first'), 'first');
      const waiting = [thread.call(JSON.stringify(message)), thread.call('third')];
      const reason = 'The forging-thread sent what is no answer to the calls that wait.';
      for (const each of waiting) await assert.rejects(each, { message: `lost: ${reason}` });
      assert.deepEqual(lost, [reason]);
    });
  }

  it('A thread that is terminated fails its calls', async () => {
    const { thread } = newThread(DYING);
    const call = assert.rejects(thread.call('any'), /ended/);
    await thread.terminate();
    await call;
  });
});

function newThread(module: URL, workerOptions: WorkerOptions = {}) {
  const lost: string[] = [];
  const thread = new Thread<string, string>(module, {
    limit: 2,
    workerOptions,
    failure: ({ message }) => new Error(`lost: ${message}`),
    onLost: ({ message }) => lost.push(message),
  });
  return { thread, lost };
}

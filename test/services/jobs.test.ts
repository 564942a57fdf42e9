import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../../src/domain/failure.ts';
import { type Job, JobRunner } from '../../src/domain/jobs.ts';

const NEVER = 1_000_000;

function runnerOf(t: TestContext) {
  const told: string[] = [];
  const runner = new JobRunner((message, error) => {
    told.push(error instanceof Error ? `${message}: ${error.message}` : message);
  });
  t.after(() => runner.close());
  const start = (job: Partial<Job> & Pick<Job, 'run'>) =>
    runner.start({ name: 'work', every: NEVER, ...job });
  return { runner, told, start, state: () => runner.states[0] };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    assert.ok(tries < 2_000, 'it does not come to pass');
    await pause(5);
  }
}

describe('Background jobs', () => {
  it('A job runs at once, and again after its pause, never twice at the same time', async (t) => {
    const { start, state } = runnerOf(t);
    let [running, most] = [0, 0];
    start({
      every: 1,
      run: async () => {
        most = Math.max(most, ++running);
        await pause(3);
        running--;
      },
    });
    await until(() => (state()?.runs ?? 0) >= 5);
    assert.equal(most, 1);
  });

  it('The first runs of many jobs begin one after another, so that a start does not open every connection', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { start } = runnerOf(t);
    const begun: number[] = [];
    for (const job of [0, 1, 2]) start({ run: async () => begun.push(job) });
    for (const expected of [[0], [0, 1], [0, 1, 2]]) {
      t.mock.timers.tick(begun.length === 0 ? 1 : 10);
      assert.deepEqual(begun, expected);
    }
  });

  it('A job runs on until nothing is waiting', async (t) => {
    const { start } = runnerOf(t);
    let left = 30;
    start({ run: async () => --left > 0 });
    await until(() => left === 0);
  });

  it('A job with a backlog pauses between two runs for as long as a run took', async (t) => {
    const { start } = runnerOf(t);
    const begun: number[] = [];
    const ended: number[] = [];
    start({
      run: async () => {
        begun.push(performance.now());
        await pause(20);
        return ended.push(performance.now()) < 3;
      },
    });
    await until(() => ended.length === 3);
    for (const [run, end] of ended.slice(0, -1).entries())
      assert.ok((begun[run + 1] ?? 0) - end >= 15, String([begun, ended]));
  });

  it('A job that follows writes runs after each write, also one during its run', async (t) => {
    const { runner, start, state } = runnerOf(t);
    const gate = Promise.withResolvers<void>();
    start({ afterWrites: true, run: () => gate.promise });
    await until(() => state()?.runs === 1);
    runner.wake();
    gate.resolve();
    await until(() => state()?.runs === 2);
    runner.wake();
    await until(() => state()?.runs === 3);
  });

  it('A job that does not follow writes keeps to its times', async (t) => {
    const { runner, start, state } = runnerOf(t);
    start({ run: async () => {} });
    await until(() => state()?.runs === 1);
    runner.wake();
    await pause(30);
    assert.equal(state()?.runs, 1);
  });

  it('A job that fails is tried again, reported once, counted each time, and its recovery is reported', async (t) => {
    const { start, told, state } = runnerOf(t);
    let failures = 3;
    start({
      every: 1,
      run: async () => {
        if (failures-- > 0) throw new Error('it broke');
      },
    });
    await until(() => state()?.lastSuccess !== undefined);
    assert.equal(state()?.failures, 3);
    assert.deepEqual(told, ['work failed; trying again: it broke', 'work works again']);
    assert.equal(state()?.isFailing, false);
  });

  it('A write does not repeat a job that fails before its time', async (t) => {
    const { runner, start, state } = runnerOf(t);
    start({ afterWrites: true, run: () => Promise.reject(new Error('it broke')) });
    await until(() => state()?.failures === 1);
    runner.wake();
    await pause(30);
    assert.equal(state()?.runs, 1);
  });

  it('A job that fails because the database is away is counted but not reported', async (t) => {
    const { start, told, state } = runnerOf(t);
    let failures = 2;
    start({
      every: 1,
      run: async () => {
        if (failures-- > 0) throw unavailable(new Error('gone'));
      },
    });
    await until(() => state()?.lastSuccess !== undefined);
    assert.deepEqual([state()?.failures, told], [2, []]);
  });

  it('A job under way is asked to stop when the runner closes, waited for, and is the last', async (t) => {
    const { runner, start, state } = runnerOf(t);
    let isDone = false;
    start({
      every: 1,
      run: async (stopping) => {
        await new Promise((resolve) => stopping.addEventListener('abort', resolve));
        await pause(20);
        isDone = true;
        return true;
      },
    });
    await until(() => state()?.runs === 1);
    await runner.close();
    assert.ok(isDone);
    await pause(30);
    assert.equal(state()?.runs, 1);
  });
});

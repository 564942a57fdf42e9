import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { IdleWork } from '../../src/store/idle-work.ts';

function countingWork(t: TestContext, { backlog = 0, longestMs = 60_000 } = {}) {
  const counted = { rounds: 0, left: backlog };
  const work = new IdleWork(
    async () => {
      counted.rounds++;
      counted.left = Math.max(0, counted.left - 1);
      return counted.left > 0;
    },
    { idleMs: 2, longestMs },
  );
  t.after(() => work.stop());
  return { work, counted };
}

describe('Work that writes put off', () => {
  it('keeps up with a steady trickle of writes', async (t) => {
    const { work, counted } = countingWork(t);
    for (let write = 0; write < 60; write++) {
      work.expect();
      await pause(10);
    }
    assert.ok(counted.rounds >= 15, `${counted.rounds} rounds for 60 writes`);
  });

  it('leaves writes that never pause alone, but for a round now and then', async (t) => {
    const { work, counted } = countingWork(t, { longestMs: 100 });
    const until = performance.now() + 1_000;
    while (performance.now() < until) {
      work.expect();
      await nextTurn();
    }
    assert.ok(counted.rounds >= 2, `${counted.rounds} rounds in a second`);
    assert.ok(counted.rounds <= 20, `${counted.rounds} rounds in a second`);
  });

  it('is done to the end without another write', async (t) => {
    const { work, counted } = countingWork(t, { backlog: 30 });
    work.expect();
    for (let tries = 0; counted.left > 0 && tries < 100; tries++) await pause(20);
    assert.equal(counted.left, 0);
  });

  it('ends when it is told to', async (t) => {
    const { work, counted } = countingWork(t, { backlog: 1e9 });
    work.expect();
    while (counted.rounds === 0) await pause(5);
    await work.stop();
    const { rounds } = counted;
    await pause(50);
    assert.equal(counted.rounds, rounds);
  });
});

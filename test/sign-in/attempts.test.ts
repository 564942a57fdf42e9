import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Failure } from '../../src/domain/failure.ts';
import { Attempts } from '../../src/services/limits/attempts.ts';

/** Attempts whose checks do not end before the test lets them; `begun` counts them. */
function newAttempts() {
  const attempts = new Attempts();
  const pending: (() => void)[] = [];
  let begun = 0;
  const attempt = (line: string, left = 10) => {
    const allowance = allowanceOf(line, left);
    const check = () => {
      begun++;
      return new Promise<void>((resolve) => pending.push(resolve));
    };
    return attempts.run(async () => ({ allowance }), check);
  };
  const endAll = async (attempts: readonly Promise<unknown>[]) => {
    let ended = 0;
    for (const each of attempts) void each.finally(() => ended++);
    while (ended < attempts.length) {
      for (const end of pending.splice(0)) end();
      await turn();
    }
  };
  return { attempt, begun: () => begun, endAll };
}

function allowanceOf(line: string, left: number) {
  return {
    isKnown: false,
    left,
    retryAfter: 60,
    limit: 'pair' as const,
    newDevice: undefined,
    line,
    charges: [],
  };
}

/** What the attempt fails with at once. */
async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  const refused = attempt.catch((error: unknown) => (error instanceof Failure ? error.data.error : 'fault'));
  return String(await Promise.race([refused, turn('it waits')]));
}

describe('Attempts to sign in', { concurrency: true }, () => {
  it('Attempts for one account are checked four at once, and no more than guesses are left', async () => {
    const { attempt, begun, endAll } = newAttempts();
    const many = Array.from({ length: 9 }, () => attempt('one'));
    const few = Array.from({ length: 9 }, () => attempt('another', 2));
    await turn();
    assert.equal(begun(), 4 + 2);
    await endAll([...many, ...few]);
    assert.equal(begun(), 18);
  });

  it('Attempts wait 256 for one account and 2,048 in all, and the next is busy and succeeds later', async () => {
    const { attempt, begun, endAll } = newAttempts();
    const started: Promise<unknown>[] = [];
    const fill = async (line: string, count: number) => {
      for (let each = 0; each < count; each++) started.push(attempt(line));
      await turn();
    };
    await fill('account 0', 4 + 256);
    assert.equal(await refusalOf(attempt('account 0')), 'busy');
    for (let account = 1; account < 8; account++) await fill(`account ${account}`, 4 + 256);
    await fill('account 8', 4);
    assert.equal(await refusalOf(attempt('account 8')), 'busy');
    await endAll(started);
    assert.equal(begun(), 8 * 260 + 4);
    await endAll([attempt('account 0')]);
    assert.equal(begun(), 8 * 260 + 5);
  });

  it('A check that fails leaves its place to the next attempt', async () => {
    const attempts = new Attempts();
    const look = async () => ({ allowance: allowanceOf('one', 1) });
    const broken = attempts.run(look, async () => assert.fail('no thread hashes'));
    await assert.rejects(broken, /no thread hashes/);
    assert.equal(await Promise.race([attempts.run(look, async () => 'checked'), pause(1_000)]), 'checked');
  });
});

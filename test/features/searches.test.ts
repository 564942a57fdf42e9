import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../src/domain/failure.ts';
import { type Asker, Searches } from '../../src/services/searches/searches.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';

describe('Searches that wait', () => {
  it('have turns by their askers, and one of who is signed in comes after one of strangers', async () => {
    const { begun, ask, endOne } = held(1);
    for (const each of ['a', 'a', 'a', 'b']) void ask(stranger(each));
    for (const each of ['m', 'm', 'n']) void ask(member(each));
    while (await endOne());
    assert.deepEqual(begun, ['a', 'm', 'a', 'n', 'b', 'm', 'a']);
  });

  it('leave one of several places for who is signed in', async () => {
    const { begun, ask, endOne } = held(3);
    for (const each of ['a', 'b', 'c']) void ask(stranger(each));
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b']);
    void ask(member('m'));
    while (await endOne());
    assert.deepEqual(begun, ['a', 'b', 'm', 'c']);
  });

  it('are done two at once for one asker', async () => {
    const { begun, ask, endOne } = held(3);
    for (const each of ['m', 'm', 'm', 'n']) void ask(member(each));
    await nextTurn();
    assert.deepEqual(begun, ['m', 'm', 'n']);
    while (await endOne());
    assert.deepEqual(begun, ['m', 'm', 'n', 'm']);
  });

  it('are 128 of one asker at most, whose next gets too_many_requests while those of others wait', async () => {
    const { begun, ask, endOne } = held(1);
    const first = Array.from({ length: 129 }, () => ask(stranger('a')));
    await assert.rejects(ask(stranger('a')), isFailure('too_many_requests'));
    const other = ask(stranger('b'));
    while (await endOne());
    await Promise.all([...first, other]);
    assert.equal(begun.length, 130);
  });

  it('are 256 of strangers at most: whoever has most gives up the last one, and who is signed in waits elsewhere', async () => {
    const { begun, ask, endOne } = held(1);
    const under = ask(stranger('under way'));
    const many = Array.from({ length: 128 }, () => ask(stranger('many')));
    const few = Array.from({ length: 128 }, (_, index) => ask(stranger(`few ${index}`)));
    const late = ask(stranger('late'));
    await assert.rejects(Promise.all(many), isFailure('busy'));
    const signedIn = ask(member('m'));
    while (await endOne());
    await Promise.all([under, ...few, late, signedIn]);
    assert.deepEqual(begun.slice(0, 2), ['under way', 'm']);
    assert.equal(begun.filter((each) => each === 'many').length, 127);
  });

  it('are refused as busy after five seconds, and never begin', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { begun, ask, endOne } = held(1);
    const under = ask(stranger('a'));
    const waiting = ask(stranger('b'));
    t.mock.timers.tick(5_000);
    await assert.rejects(Promise.race([waiting, nextTurn()]), isFailure('busy'));
    while (await endOne());
    await under;
    void ask(stranger('c'));
    await nextTurn();
    assert.deepEqual(begun, ['a', 'c']);
  });

  it('go on after one that failed', async () => {
    const searches = new Searches(1);
    const fault = new Error('The search fails.');
    await assert.rejects(
      searches.run(stranger('a'), () => Promise.reject(fault)),
      fault,
    );
    assert.equal(await searches.run(stranger('a'), async () => 'found'), 'found');
  });
});

onEveryEngine('While strangers ask for more searches than can be done,', (engine) => {
  it('who is signed in finds what there is each time, and so do the pages of strangers', async (t) => {
    let searchTakes = 10;
    const before = (name: string) => (name === 'content.list' ? pause(searchTakes) : undefined);
    const wrap = (store: Store) => observed(store, { before });
    const { url } = await startService(t, engine, { TRUST_PROXY: '127.0.0.1' }, { wrap });
    const { token, username } = await newAccount(url);
    const stop = await flood(t, url);
    const [answers, pages]: [number[], number[]] = [[], []];
    for (let round = 0; round < 3; round++) {
      answers.push((await call(url, 'GET', '/api/content?keyword=no', { token })).status);
      answers.push((await call(url, 'GET', `/api/users?keyword=${username}`, { token })).status);
      pages.push((await call(url, 'GET', '/api/content')).status);
    }
    searchTakes = 0;
    await stop();
    assert.deepEqual([answers, pages], [Array(6).fill(200), Array(3).fill(200)]);
  });
});

/** Strangers search without an end, until some are refused, and go on until `stop`. */
async function flood(t: TestContext, url: string): Promise<() => Promise<void>> {
  let [isOver, refused] = [false, 0];
  t.after(() => {
    isOver = true;
  });
  // More than wait in the line of strangers.
  const senders = Array.from({ length: 300 }, async (_, sender) => {
    while (!isOver) {
      const headers = { 'x-forwarded-for': `10.${sender >> 8}.${sender & 255}.1` };
      const { status } = await call(url, 'GET', '/api/content?keyword=no', { headers });
      if (status !== 503) continue;
      refused++;
      await pause(100);
    }
  });
  while (refused === 0) await pause(10);
  return async () => {
    isOver = true;
    await Promise.all(senders);
  };
}

/** Searches that end one by one, as the test says. */
function held(atOnce: number) {
  const searches = new Searches(atOnce);
  const begun: string[] = [];
  const underWay: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => underWay.push(resolve));
  const ask = (asker: Asker, work: () => Promise<void> | void = wait) => {
    const answer = searches.run(asker, async () => {
      begun.push(asker.name);
      await work();
    });
    // Looked at later, if at all.
    answer.catch(() => {});
    return answer;
  };
  const endOne = async () => {
    await nextTurn();
    const end = underWay.shift();
    end?.();
    await nextTurn();
    return end !== undefined;
  };
  return { begun, ask, endOne };
}

function stranger(name: string): Asker {
  return { name, isSignedIn: false };
}

function member(name: string): Asker {
  return { name, isSignedIn: true };
}

function isFailure(name: string) {
  return (error: unknown) => error instanceof Failure && error.data.error === name;
}

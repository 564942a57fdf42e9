import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Asker, FairQueue } from '../../src/domain/admission/fair-queue.ts';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('Waiting searches', () => {
  it('Waiting searches alternate between askers, and between signed-in users and strangers', async () => {
    const { begun, ask, endOne } = held(1);
    for (const each of ['a', 'a', 'a', 'b']) void ask(stranger(each));
    for (const each of ['m', 'm', 'n']) void ask(member(each));
    while (await endOne());
    assert.deepEqual(begun, ['a', 'm', 'a', 'n', 'b', 'm', 'a']);
  });

  it('Searches of strangers leave one of several places to signed-in users', async () => {
    const { begun, ask, endOne } = held(3);
    for (const each of ['a', 'b', 'c']) void ask(stranger(each));
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b']);
    void ask(member('m'));
    while (await endOne());
    assert.deepEqual(begun, ['a', 'b', 'm', 'c']);
  });

  it('One asker has two searches under way at once', async () => {
    const { begun, ask, endOne } = held(3);
    for (const each of ['m', 'm', 'm', 'n']) void ask(member(each));
    await nextTurn();
    assert.deepEqual(begun, ['m', 'm', 'n']);
    while (await endOne());
    assert.deepEqual(begun, ['m', 'm', 'n', 'm']);
  });

  it('One asker has 128 waiting searches at most, and then gets too_many_requests', async () => {
    const { begun, ask, endOne } = held(1);
    const first = Array.from({ length: 129 }, () => ask(stranger('a')));
    await assert.rejects(ask(stranger('a')), isFailure('too_many_requests'));
    const other = ask(stranger('b'));
    while (await endOne());
    await Promise.all([...first, other]);
    assert.equal(begun.length, 130);
  });

  it('The accounts of one source have 128 waiting searches together, and take turns with accounts of other sources', async () => {
    const { begun, ask, endOne } = held(1);
    const under = ask(member('under way'));
    const many = Array.from({ length: 128 }, (_, index) => ask(memberAt('first', `many ${index}`)));
    await assert.rejects(ask(memberAt('first', 'late')), isFailure('too_many_requests'));
    const others = ['a', 'b'].map((name) => ask(memberAt('second', name)));
    while (await endOne());
    await Promise.all([under, ...many, ...others]);
    assert.deepEqual(begun.slice(0, 6), ['under way', 'many 0', 'a', 'many 1', 'b', 'many 2']);
    await Promise.all(many.map((_, index) => ask(memberAt('first', `again ${index}`), () => {})));
  });

  it('The sessions of one account take turns, and together have two searches under way', async () => {
    const { begun, ask, endOne } = held(3);
    for (const session of [...Array(4).fill('thief'), 'owner']) void ask({ ...member('m'), session });
    await nextTurn();
    assert.deepEqual(begun, ['thief', 'thief']);
    while (await endOne());
    assert.deepEqual(begun, ['thief', 'thief', 'thief', 'owner', 'thief']);
  });

  it('An account of many sessions has no more turns than one of a single session', async () => {
    const { begun, ask, endOne } = held(1);
    for (const session of ['s1', 's2', 's3', 's4']) void ask({ ...member('many'), session });
    void ask({ ...member('one'), session: 'single' });
    while (await endOne());
    assert.deepEqual(begun, ['s1', 's2', 'single', 's3', 's4']);
  });

  it('Strangers have 256 waiting searches at most, and a signed-in user waits elsewhere', async () => {
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

  it('A search that waited five seconds is refused as busy and never begins', async (t) => {
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

  it('A work of a patient asker waits for longer than others may', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { begun, ask, endOne } = held(1);
    void ask(stranger('a'));
    void ask({ ...stranger('b'), isPatient: true });
    t.mock.timers.tick(3_600_000);
    while (await endOne());
    assert.deepEqual(begun, ['a', 'b']);
  });

  it('A work whose asker leaves while it waits fails at once and never begins', async () => {
    const queue = new FairQueue(1, ADMISSION.searches);
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    const under = queue.run(stranger('a'), () => held);
    const leaving = new AbortController();
    const begun: string[] = [];
    const left = queue.run(stranger('b'), async () => begun.push('b'), leaving.signal);
    const reason = new Error('The asker left.');
    leaving.abort(reason);
    await assert.rejects(Promise.race([left, nextTurn()]), reason);
    end();
    await under;
    await queue.run(stranger('c'), async () => begun.push('c'));
    assert.deepEqual(begun, ['c']);
  });

  it('A search that fails lets the next one run', async () => {
    const searches = new FairQueue(1, ADMISSION.searches);
    const fault = new Error('The search fails.');
    await assert.rejects(
      searches.run(stranger('a'), () => Promise.reject(fault)),
      fault,
    );
    assert.equal(await searches.run(stranger('a'), async () => 'found'), 'found');
  });
});

onEveryEngine('A flood of searches', (engine) => {
  it('Searches of a signed-in user and pages of strangers are answered during a flood of searches', async (t) => {
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

onOneEngine('Searches from one network', (engine) => {
  it('Addresses of one network of IPv6 have the searches of one asker together', async (t) => {
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    const before = (name: string) => (name === 'content.list' ? held : undefined);
    const wrap = (store: Store) => observed(store, { before });
    const { url } = await startService(t, engine, { TRUST_PROXY: '127.0.0.1' }, { wrap });
    // More than are under way and wait.
    const asked = Array.from({ length: 2 + 128 + 1 }, (_, each) =>
      call(url, 'GET', '/api/content?keyword=no', { headers: { 'x-forwarded-for': `2001:db8::${each}` } }),
    );
    const { status } = await Promise.race(asked);
    end();
    await Promise.all(asked);
    assert.equal(status, 429);
  });
});

onOneEngine('Searches of several accounts', (engine) => {
  it('The searches of several accounts of one source that wait are bounded together', async (t) => {
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    const before = (name: string) => (name === 'content.list' ? held : undefined);
    const wrap = (store: Store) => observed(store, { before });
    const { url } = await startService(t, engine, {}, { wrap });
    const tokens = [(await newAccount(url)).token, (await newAccount(url)).token];
    // Each account has far fewer than may wait of one.
    const asked = tokens.flatMap((token) =>
      Array.from({ length: 2 + 65 }, () => call(url, 'GET', '/api/content?keyword=no', { token })),
    );
    const { status } = await Promise.race(asked);
    end();
    await Promise.all(asked);
    assert.equal(status, 429);
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
  await until(() => refused > 0, 'a search of strangers is refused');
  return async () => {
    isOver = true;
    await Promise.all(senders);
  };
}

/** Searches that end one by one, as the test says. */
function held(atOnce: number) {
  const searches = new FairQueue(atOnce, ADMISSION.searches);
  const begun: string[] = [];
  const underWay: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => underWay.push(resolve));
  const ask = (asker: Asker, work: () => Promise<void> | void = wait) => {
    const answer = searches.run(asker, async () => {
      begun.push(asker.session ?? asker.name);
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

function memberAt(source: string, name: string): Asker {
  return { ...member(name), source };
}

function isFailure(name: string) {
  return (error: unknown) => error instanceof Failure && error.data.error === name;
}

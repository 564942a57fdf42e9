import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { Shares } from '../../src/domain/admission/shares.ts';
import { JobRunner } from '../../src/domain/jobs.ts';
import { Check } from '../../src/live/check.ts';
import { Listener } from '../../src/live/listener.ts';
import { Listeners } from '../../src/live/listeners.ts';
import type { Mark } from '../../src/live/mark.ts';
import { Teller } from '../../src/live/teller.ts';
import { findCallers } from '../../src/sessions/session.ts';
import type { Store } from '../../src/store/store.ts';
import { listen } from '../content/black-box/event-stream.ts';
import { requestsTo } from '../content/black-box/requests.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { feedUntil } from '../support/feed.ts';
import { startFleet } from '../support/fleet.ts';
import { observed } from '../support/observed.ts';
import { firstOf, rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { startBehindProxy } from '../support/sign-in.ts';
import { describeInTurn } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const CALLER = { userId: 1, username: 'ada', role: 'member', sessionId: 's', scope: null } as const;

// Counted in memory, which is the same on every engine.
onOneEngine('Bounds of streams', (engine) => {
  it('An account has ten streams at most, because an eleventh ends the oldest', async (t) => {
    const { url } = await startService(t, engine, { EVENTS_MOST: '20' });
    const account = await newAccount(url);
    const streams = [];
    for (let count = 0; count < 11; count++) streams.push(await listen(url, account));
    const [first, ...others] = streams;
    await until(() => first?.isOver() === true, 'the oldest ends');
    const { id } = await newItem(url, account.token);
    await Promise.all(others.map(({ heard }) => heard('content.created', id)));
    for (const { close } of others) close();
  });

  it('An account that asks for thirty streams at once has ten at most, and another account gets one', async (t) => {
    const { url, server } = await startService(t, engine, { EVENTS_MOST: '22' });
    const [account, other] = [await newAccount(url), await newAccount(url)];
    const own = await Promise.all(Array.from({ length: 10 }, () => listen(url, account)));
    const sockets = Array.from({ length: 30 }, () => sendRaw(t, url, rawGet('/livez')));
    for (const answer of await Promise.all(sockets.map(firstOf))) assert.match(answer, /^HTTP\/1\.1 200 /);
    const begun: ServerResponse[] = [];
    server.on('request', (_request, response) => begun.push(response));
    const asked = `Authorization: Bearer ${account.token}\r\n`;
    const answers = sockets.map(firstOf);
    for (const socket of sockets) socket.write(rawGet('/api/events', asked));
    const statuses = (await Promise.all(answers)).map((answer) => answer.slice(9, 12));
    const open = () =>
      begun.filter(({ statusCode, writableEnded }) => statusCode === 200 && !writableEnded).length;
    // An answer ends only with its turn.
    await until(() => open() <= 10, `ten streams are open of ${statuses.join(' ')}`);
    assert.ok(open() > 0, 'some have begun');
    (await listen(url, other)).close();
    for (const { close } of own) close();
  });

  it('The service has as many streams as EVENTS_MOST says', async (t) => {
    const { url } = await startBehindProxy(t, engine, { EVENTS_MOST: '3' });
    const { token } = await newAccount(url);
    const headers = { 'x-forwarded-for': '203.0.113.4' };
    const ask = () => call(url, 'GET', '/api/events', { token, headers });
    const [first, ...more] = [
      await listen(url, { token, from: '203.0.113.1' }),
      await listen(url, { token, from: '203.0.113.2' }),
      await listen(url, { token, from: '203.0.113.3' }),
    ];
    const full = await ask();
    assertFailure(full, 503, 'busy');
    assert.match(full.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    first?.close();
    await until(async () => (await ask()).status === 200, 'there is room again');
    for (const { close } of more) close();
  });

  it('One source has half of the streams at most, and an account at another address gets one', async (t) => {
    const { url } = await startBehindProxy(t, engine, { EVENTS_MOST: '12' });
    const [one, two, other] = [await newAccount(url), await newAccount(url), await newAccount(url)];
    const headers = { 'x-forwarded-for': '203.0.113.1' };
    const opened = [];
    for (let count = 0; count < 3; count++)
      for (const { token } of [one, two])
        opened.push(await listen(url, { token, from: headers['x-forwarded-for'] }));
    for (const { token } of [one, two]) {
      const refused = await call(url, 'GET', '/api/events', { token, headers });
      assertFailure(refused, 429, 'too_many_requests');
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    opened.push(await listen(url, { token: other.token, from: '203.0.113.2' }));
    for (const { close } of opened) close();
  });

  it('An account whose new stream is refused for its source keeps its oldest stream', async (t) => {
    const { url } = await startBehindProxy(t, engine, { EVENTS_MOST: '21' });
    const [account, other] = [await newAccount(url), await newAccount(url)];
    const [home, office] = ['203.0.113.1', '203.0.113.2'] as const;
    const open = async (count: number, { token }: Account, from: string) => {
      const streams = [];
      for (let each = 0; each < count; each++) streams.push(await listen(url, { token, from }));
      return streams;
    };
    const own = await open(10, account, home);
    const others = await open(6, other, office);
    const ask = (from: string) =>
      call(url, 'GET', '/api/events', { token: account.token, headers: { 'x-forwarded-for': from } });
    assertFailure(await ask(office), 429, 'too_many_requests');
    const { id } = await newItem(url, account.token);
    await Promise.all(own.map(({ heard }) => heard('content.created', id)));
    others[0]?.close();
    await until(async () => (await ask(office)).status === 200, 'the source has room again');
    await until(() => own[0]?.isOver() === true, 'the oldest ends');
    for (const { close } of [...own, ...others]) close();
  });

  it('A stream that could not begin leaves its place to the next one', async (t) => {
    let isAway = false;
    const before = (operation: string) => {
      if (isAway && operation === findCallers.name) throw new Error('The database is away.');
    };
    const wrap = (store: Store) => observed(store, { before });
    const { url } = await startService(t, engine, { EVENTS_MOST: '1' }, { wrap });
    const account = await newAccount(url);
    isAway = true;
    assert.equal((await call(url, 'GET', '/api/events', { token: account.token })).status, 500);
    isAway = false;
    (await listen(url, account)).close();
  });

  it('A client that leaves while its stream begins gives back its place', async (t) => {
    const left = Promise.withResolvers<void>();
    let isBeginning = false;
    const before = (operation: string) => {
      if (operation !== findCallers.name) return undefined;
      isBeginning = true;
      return left.promise;
    };
    const wrap = (store: Store) => observed(store, { before });
    const { url, server } = await startService(t, engine, { EVENTS_MOST: '1' }, { wrap });
    const account = await newAccount(url);
    const asked = `Authorization: Bearer ${account.token}\r\n`;
    const closed = new Promise((resolve) => {
      server.on(
        'request',
        ({ url: path }, answer) => path === '/api/events' && answer.once('close', resolve),
      );
    });
    const socket = sendRaw(t, url, rawGet('/api/events', asked));
    await until(() => isBeginning, 'the stream begins');
    socket.resetAndDestroy();
    await closed;
    left.resolve();
    const ask = () => call(url, 'GET', '/api/events', account);
    await until(async () => (await ask()).status === 200, 'there is room again');
  });

  it('A stream is kept by nobody on its way, and does not count among the requests under way', async (t) => {
    const { url } = await startService(t, engine, { TRUST_PROXY: '127.0.0.1' });
    const { token } = await newAccount(url);
    // A source that no other test has.
    const source = '203.0.113.77';
    const give = t.mock.method(Shares.prototype, 'give');
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': source };
    const response = await fetch(`${url}/api/events`, { headers, signal: leaving.signal });
    assert.equal(give.mock.calls.filter(({ arguments: [of] }) => of === source).length, 1);
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    leaving.abort();
  });
});

onEveryEngine('Listeners and tickets', (engine) => {
  describeInTurn(engine, 'of one service', (service) => {
    it('A listener that another instance has told more than this one has read gets no change twice', async () => {
      const { url, store, now } = service();
      const account = await newAccount(url);
      const { token } = account;
      const { teller, read, begin } = await newTeller(store, account, now);
      await newItem(url, token);
      const { id } = await newItem(url, token);
      const changes = await feedUntil(store, read, ({ item_id }) => item_id === id);
      const [known, next] = changes.slice(-2);
      assert.ok(known && next);
      const { told } = begin(known);
      await teller.job.run(new AbortController().signal);
      assert.deepEqual(told.join('').match(/^id: \d+/gm), [`id: ${next.number}`]);
    });

    it('A listener whose session has ended is told nothing, also where nobody has checked it since', async () => {
      const { url, store, now } = service();
      const [account, other] = [await newAccount(url), await newAccount(url)];
      const { teller, read, begin } = await newTeller(store, account, now);
      const { told } = begin({ number: read, at: 0 });
      assert.equal((await call(url, 'POST', '/api/auth/logout', { token: account.token })).status, 200);
      const { id } = await newItem(url, other.token);
      await feedUntil(store, read, ({ item_id }) => item_id === id);
      await teller.job.run(new AbortController().signal);
      assert.deepEqual(told, []);
      assert.ok(teller.mark.number > read, 'there was something to tell');
    });

    it('A ticket is good for thirty seconds, an account has twenty, and no log shows one', async () => {
      const { url, passTime, log } = service();
      const { done, ask } = requestsTo(service);
      const [account, other] = [await newAccount(url), await newAccount(url)];
      const tickets: string[] = [];
      for (let each = 0; each < 20; each++)
        tickets.push((await done(account, 'POST', '/api/events/tickets')).ticket);
      assertFailure(await ask(account, 'POST', '/api/events/tickets'), 429, 'too_many_requests');
      assert.equal((await ask(other, 'POST', '/api/events/tickets')).status, 200);
      const use = (ticket: string | undefined) => call(url, 'GET', `/api/events?ticket=${ticket}`);
      assert.equal((await use(tickets[0])).status, 200);
      passTime(30_000);
      assertFailure(await use(tickets[1]), 401, 'token_invalid');
      assert.equal((await ask(account, 'POST', '/api/events/tickets')).status, 200);
      for (const ticket of tickets) assert.ok(!log.some((line) => line.includes(ticket)));
    });

    it('A ticket of a session that ended is refused', async () => {
      const { url } = service();
      const account = await newAccount(url);
      const { body } = await call(url, 'POST', '/api/events/tickets', { token: account.token });
      const id = sessionIdOf(account.token);
      await call(url, 'DELETE', `/api/auth/sessions/${id}`, { token: account.token });
      assertFailure(await call(url, 'GET', `/api/events?ticket=${body.data.ticket}`), 401, 'token_revoked');
    });
  });

  it('A ticket opens one stream of several that ask for it at once, on any instance', async (t) => {
    const fleet = await startFleet(t, engine);
    const account = await newAccount(fleet.instance(0).url);
    const made = await call(fleet.instance(0).url, 'POST', '/api/events/tickets', { token: account.token });
    const path = `/api/events?ticket=${made.body.data.ticket}`;
    const asked = Array.from({ length: 8 }, (_, index) => call(fleet.instance(index).url, 'GET', path));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, ...Array(7).fill(401)]);
  });
});

onOneEngine('The job that keeps streams open', (engine) => {
  it('An open stream gets a sign of life with each run of the job that keeps streams open', async (t) => {
    const begin = t.mock.method(JobRunner.prototype, 'start');
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const jobs = begin.mock.calls.flatMap(({ arguments: [job] }) => job);
    const keeping = jobs.find(({ name }) => name === 'keeping streams open');
    assert.ok(keeping);
    const socket = sendRaw(t, url, rawGet('/api/events', `Authorization: Bearer ${token}\r\n`));
    let read = '';
    socket.on('data', (piece) => {
      read += piece;
    });
    await until(() => read.includes('retry: '), 'the stream begins');
    await keeping.run(new AbortController().signal);
    await until(() => /^:\nid: \d/m.test(read), 'the sign of life arrives');
  });
});

it('A listener that leaves more unsent than it may is ended, and is told nothing more', () => {
  const { listener, output } = newListener();
  listener.moveTo({ number: 1, at: 1 }, 'first');
  output.unsent = ADMISSION.unsentOfStream + 1;
  listener.moveTo({ number: 2, at: 2 }, 'second');
  assert.deepEqual([output.sent, output.isOpen], [['first'], false]);
});

it('A listener gets a comment as a sign of life, and is ended where it has not read since the one before', () => {
  const { listener, output } = newListener();
  listener.keep();
  assert.deepEqual(output.sent, [':\nid: 7.9\n\n']);
  output.unsent = 1;
  listener.keep();
  assert.equal(output.isOpen, true);
  listener.keep();
  assert.equal(output.isOpen, false);
});

/** A teller that one account listens to, with a check that is asked for by the teller only. */
async function newTeller(store: Store, { id: userId, username, token }: Account, clock: () => number) {
  const listeners = new Listeners(1);
  const give = listeners.take(userId, '127.0.0.1');
  const keyring = { keys: [] };
  const check = new Check({ store, keyring, listeners, isHindered: () => false, clock });
  const teller = new Teller({ store, listeners, check, usersList: 'members' });
  const { number: read } = await teller.begin();
  const begin = (mark: Mark) => {
    const told: string[] = [];
    const output = {
      isOpen: true,
      unsent: 0,
      // What is sent after the end reaches nobody (http/streams.ts).
      send: (text: string | Uint8Array) => output.isOpen && told.push(Buffer.from(text).toString()) > 0,
      drained: async () => {},
      end: () => {
        output.isOpen = false;
      },
    };
    const caller = { ...CALLER, userId, username, sessionId: sessionIdOf(token), hasSecondFactor: false };
    const listener = new Listener(caller, new Set(), mark, output);
    listener.isLive = true;
    listeners.add(listener, give);
    return { told };
  };
  return { teller, read, begin };
}

function newListener() {
  const sent: (string | Uint8Array)[] = [];
  const output = {
    isOpen: true,
    unsent: 0,
    sent,
    send: (text: string | Uint8Array) => sent.push(text) > 0,
    drained: async () => {},
    end: () => {
      output.isOpen = false;
    },
  };
  const caller = { ...CALLER, hasSecondFactor: false };
  return { output, listener: new Listener(caller, new Set(), { number: 7, at: 9 }, output) };
}

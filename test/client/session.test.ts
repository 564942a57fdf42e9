// Needs: processes.

import assert from 'node:assert/strict';
import { after, before, it, mock, type TestContext } from 'node:test';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import {
  type Client,
  createClient,
  memoryTokens,
  storedTokens,
  type Tokens,
  WalkError,
} from '../../client/src/index.ts';
import { ListenError, listen } from '../../client/src/live.ts';
import { call, login, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { type ClientSite, startClientSite } from '../support/client-site.ts';
import { onOneEngine, PATIENCE } from '../support/engines.ts';
import { newPersonalToken } from '../support/people.ts';
import { describeInTurn } from '../support/suite.ts';

const REFRESH = '/api/auth/refresh';
const EXPIRED_MS = 16 * 60_000;
/** Tokens in a storage of their own. */
function tokensApart(): Tokens {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  return storedTokens('stoa', storage as unknown as Storage);
}

/** Tokens of several tabs of a browser, which all read what one has written. */
const sharedTokens = (): Tokens => ({ ...tokensApart(), shared: 'stoa' });

onOneEngine('The client', (engine) => {
  describeInTurn(engine, 'on one service', (running) => {
    // None of these tests is about how long the client waits for a refresh, and a busy machine may need longer.
    const { timeout } = AbortSignal;
    before(() => {
      mock.method(AbortSignal, 'timeout', (ms: number) => timeout(PATIENCE * ms));
      // Only pages share a session.
      Reflect.set(globalThis, 'location', {});
    });
    after(() => {
      mock.restoreAll();
      Reflect.deleteProperty(globalThis, 'location');
    });

    async function signedIn(t: TestContext, tokens: Tokens = memoryTokens()) {
      const service = running();
      const site = await startClientSite(t, service.url);
      const { id, username } = await newAccount(service.url);
      const stoa = createClient({ url: site.url, tokens });
      const result = await stoa.signIn({ username, password: PASSWORD });
      assert.ok(result.ok);
      return { service, site, stoa, username, author: id };
    }
    const refreshes = ({ asked }: ClientSite) => asked.filter((each) => each === `POST ${REFRESH}`).length;
    const nameOf = async (stoa: Client) => {
      const me = await stoa.call('getMe');
      return me.ok ? me.data.username : me.error.error;
    };

    it('Ten calls with an expired token lead to one refresh, and all succeed', async (t) => {
      const { service, site, stoa, username } = await signedIn(t);
      service.passTime(EXPIRED_MS);
      const names = await Promise.all(Array.from({ length: 10 }, () => nameOf(stoa)));
      assert.deepEqual(names, Array(10).fill(username));
      assert.equal(refreshes(site), 1);
    });

    it('A refresh whose answer is lost is repeated, and the session lives', async (t) => {
      const { service, site, stoa, username } = await signedIn(t);
      service.passTime(EXPIRED_MS);
      let lost = 0;
      site.meddle(REFRESH, (_asked, _reply, answer) => answer(lost++ === 0));
      assert.equal(await nameOf(stoa), username);
      assert.equal(lost, 2);
      service.passTime(EXPIRED_MS);
      assert.equal(await nameOf(stoa), username);
    });

    it('A refresh that answers 429, 500 or not at all keeps the session, and one that answers 401 ends it', async (t) => {
      const { service, site, stoa, username } = await signedIn(t);
      service.passTime(EXPIRED_MS);
      for (const status of [429, 500, 403]) {
        site.meddle(REFRESH, (_asked, reply) => reply.writeHead(status, { 'retry-after': '7' }).end('{}'));
        const result = await stoa.call('getMe');
        assert.equal(result.status, status);
        assert.equal(!result.ok && result.retryAfter, 7);
        assert.equal(stoa.session.state, 'signed-in');
      }
      site.meddle(REFRESH, (_asked, reply) => reply.destroy());
      assert.equal(await nameOf(stoa), 'network');
      assert.equal(stoa.session.state, 'signed-in');
      site.meddle(REFRESH, undefined);
      assert.equal(await nameOf(stoa), username);
      service.passTime(31 * 86_400_000);
      let heard = 0;
      stoa.session.subscribe(() => heard++);
      assert.equal(await nameOf(stoa), 'token_expired');
      assert.equal(stoa.session.state, 'signed-out');
      assert.equal(heard, 1);
      const before = refreshes(site);
      assert.equal(await nameOf(stoa), 'token_missing');
      assert.equal(refreshes(site), before, 'there is nothing to refresh');
    });

    it('An answer of 200 that has no token is a failure of a sign-in, a call or a sign-out, and begins no session', async (t) => {
      const { service, site, stoa, username } = await signedIn(t);
      const whyNot = (result: Awaited<ReturnType<Client['call']>>) => !result.ok && result.error.error;
      const elsewhere = createClient({ url: site.url, tokens: memoryTokens() });
      site.meddle('/api/auth/login', (_asked, reply) => reply.end('{"page":"not of Stoa"}'));
      assert.equal(whyNot(await elsewhere.signIn({ username, password: PASSWORD })), 'unexpected');
      assert.equal(elsewhere.session.state, 'signed-out');
      service.passTime(EXPIRED_MS);
      site.meddle(REFRESH, (_asked, reply) => reply.end('{"page":"not of Stoa"}'));
      assert.equal(await nameOf(stoa), 'unexpected');
      assert.equal(stoa.session.state, 'signed-in');
      assert.equal(whyNot(await stoa.signOut()), 'unexpected');
    });

    it('A 401 that is about no token, such as a wrong code, leads to no refresh', async (t) => {
      const { site, stoa } = await signedIn(t);
      const failure = { code: 401, message: 'The code is wrong.', data: { error: 'code_invalid' } };
      site.meddle('/api/users/me', (_asked, reply) => reply.writeHead(401).end(JSON.stringify(failure)));
      const result = await stoa.call('getMe');
      assert.equal(!result.ok && result.error.message, 'The code is wrong.');
      assert.equal(result.status, 401);
      assert.equal(refreshes(site), 0);
      assert.equal(stoa.session.state, 'signed-in');
    });

    it('A token that a refresh brings after the sign-out is discarded, and the session has ended at the service', async (t) => {
      const { service, site, stoa, username } = await signedIn(t);
      const kept = createClient({ url: service.url, tokens: memoryTokens() });
      assert.ok((await kept.signIn({ username, password: PASSWORD })).ok);
      service.passTime(EXPIRED_MS);
      const { asked, free } = site.hold(REFRESH);
      const call = nameOf(stoa);
      await asked;
      const out = stoa.signOut();
      assert.equal(stoa.session.state, 'signed-out');
      free();
      assert.equal(await call, 'token_missing');
      assert.ok((await out).ok);
      assert.equal(stoa.session.state, 'signed-out');
      const sessions = await kept.call('listSessions');
      // The session that `newAccount` began lives too.
      assert.equal(sessions.ok && sessions.data.total, 2);
    });

    it('A token that a refresh brings after another sign-in is discarded', async (t) => {
      const { service, site, stoa } = await signedIn(t);
      const other = await newAccount(service.url);
      service.passTime(EXPIRED_MS);
      const { asked, free } = site.hold(REFRESH);
      const call = nameOf(stoa);
      await asked;
      assert.ok((await stoa.signIn({ username: other.username, password: PASSWORD })).ok);
      free();
      await call;
      assert.equal(await nameOf(stoa), other.username);
      site.meddle(REFRESH, undefined);
      service.passTime(EXPIRED_MS);
      assert.equal(await nameOf(stoa), other.username);
    });

    it('An abort while a refresh is under way cancels nobody else', async (t) => {
      const { service, site, stoa, username } = await signedIn(t);
      service.passTime(EXPIRED_MS);
      const { asked, free } = site.hold(REFRESH);
      const leaving = new AbortController();
      const aborted = stoa.call('getMe', { signal: leaving.signal });
      const other = nameOf(stoa);
      await asked;
      leaving.abort();
      const result = await aborted;
      assert.equal(!result.ok && result.error.error, 'aborted');
      free();
      assert.equal(await other, username);
      assert.equal(refreshes(site), 1);
    });

    it('Only a GET, and a POST with an Idempotency-Key, is sent again where the answer is lost', async (t) => {
      const { site, stoa, author } = await signedIn(t);
      const body = { title: 'Hello', content: 'The first item.' };
      const lose = (path: string) => {
        let lost = 0;
        site.meddle(path, (_asked, _reply, answer) => answer(lost++ === 0));
      };
      lose('/api/content');
      const made = await stoa.call('createContent', { body, idempotencyKey: crypto.randomUUID() });
      assert.ok(made.ok);
      lose('/api/content');
      const unsure = await stoa.call('createContent', { body });
      assert.equal(!unsure.ok && unsure.error.error, 'network');
      lose('/api/content');
      const list = await stoa.call('listContent', { query: { author, fields: 'id' } });
      assert.equal(list.ok && list.data.total, 2, 'the keyed item was made once');
      lose(`/api/content/${made.data.id}`);
      const change = await stoa.call('patchContent', { path: { id: made.data.id }, body: { title: 'Once' } });
      assert.equal(change.status, 0);
    });

    it('A call is not sent again with a key that its operation ignores', async (t) => {
      const { site, stoa } = await signedIn(t);
      let lost = 0;
      site.meddle('/api/auth/tokens', (_asked, _reply, answer) => answer(lost++ === 0));
      const body = { name: 'a program', scope: 'read', expires_in_days: 1 } as const;
      // @ts-expect-error: the types refuse the key too.
      const unsure = await stoa.call('createPersonalToken', { body, idempotencyKey: crypto.randomUUID() });
      assert.deepEqual([unsure.status, lost], [0, 1]);
      const tokens = await stoa.call('listPersonalTokens');
      assert.equal(tokens.ok && tokens.data.total, 1);
    });

    it('A call whose answer asks for a long wait is not sent again, and says how long', async (t) => {
      const { site, stoa } = await signedIn(t);
      let asked = 0;
      site.meddle('/api/users/me', (_asked, reply) => {
        asked++;
        reply.writeHead(503, { 'retry-after': '6' }).end('{}');
      });
      const refused = await stoa.call('getMe');
      assert.deepEqual([asked, refused.ok ? undefined : refused.retryAfter], [1, 6]);
    });

    it('A read is sent again where the service or its proxy is away for a moment, and not after a fault', async (t) => {
      const { site, stoa, username } = await signedIn(t);
      let asked = 0;
      for (const [status, name, times] of [
        ...[409, 429, 502, 503, 504].map((each) => [each, username, 2] as const),
        [500, 'unexpected', 1] as const,
      ]) {
        asked = 0;
        site.meddle('/api/users/me', (_asked, reply, answer) =>
          asked++ === 0 ? reply.writeHead(status).end('{}') : answer(false),
        );
        assert.deepEqual([await nameOf(stoa), asked], [name, times], String(status));
      }
    });

    it('A sign-out with an expired token ends the session at the service too', async (t) => {
      const { service, stoa, username } = await signedIn(t);
      service.passTime(EXPIRED_MS);
      assert.equal((await stoa.signOut()).status, 200);
      const again = createClient({ url: service.url, tokens: memoryTokens() });
      assert.ok((await again.signIn({ username, password: PASSWORD })).ok);
      const sessions = await again.call('listSessions');
      // The others are that of this sign-in and the one that `newAccount` began.
      assert.equal(sessions.ok && sessions.data.total, 2);
    });

    it('A listener that does not read keeps 10,000 events at most, and gets one reset for the others', async (t) => {
      const { site, stoa } = await signedIn(t);
      const frame = (id: number) => `id: ${id}.1\nevent: content.updated\ndata: {"id":1}\n\n`;
      const told = Promise.withResolvers<(id: number) => void>();
      site.meddle('/api/events', ({ headers }, reply) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        const last = Number.parseInt(headers['last-event-id']?.toString() ?? '0', 10);
        if (last === 0) reply.end(frame(1));
        else if (last === 1)
          reply.end(Array.from({ length: 10_001 }, (_, index) => frame(index + 2)).join(''));
        // The client has taken all that was sent before.
        else told.resolve((id) => reply.write(frame(id)));
      });
      const leaving = new AbortController();
      t.after(() => leaving.abort());
      const events = listen(stoa, { signal: leaving.signal });
      const next = async () => {
        const { value } = await events.next();
        return value && [value.id, value.event];
      };
      assert.deepEqual(await next(), ['1.1', 'content.updated']);
      const tell = await told.promise;
      assert.deepEqual(await next(), ['10002.1', 'reset']);
      tell(10_003);
      assert.deepEqual(await next(), ['10003.1', 'content.updated']);
    });

    it('A client with a personal access token reads, walks and hears events without a session', async (t) => {
      const service = running();
      const site = await startClientSite(t, service.url);
      const account = await newAccount(service.url);
      const stoa = createClient({ url: site.url, token: await newPersonalToken(service.url, account) });
      const me = await stoa.call('getMe');
      assert.equal(me.ok && me.data.username, account.username);
      const leaving = new AbortController();
      t.after(() => leaving.abort());
      const events = listen(stoa, { after: '0.0', signal: leaving.signal });
      const { id } = await newItem(service.url, account.token);
      const walked: number[] = [];
      for await (const item of stoa.walk('listContent', { query: { author: account.id } }))
        walked.push(item.id);
      assert.deepEqual(walked, [id]);
      for await (const { event, data } of events) {
        if (event === 'content.created' && data.id === id) break;
      }
      assert.equal(refreshes(site), 0);
      // @ts-expect-error: nobody signs in with such a client.
      assert.equal(stoa.signIn, undefined);
      // @ts-expect-error: a client has a session or a personal access token.
      createClient({ url: site.url, token: 'x', tokens: memoryTokens() });
    });

    it('Listening throws what refuses its stream: no token, one that has ended, or a request that is never taken', async (t) => {
      const { stoa, site, service } = await signedIn(t);
      const account = await newAccount(service.url);
      const token = await newPersonalToken(service.url, account);
      const revoked = createClient({ url: service.url, token });
      await call(service.url, 'DELETE', '/api/auth/sessions', { token: account.token });
      const stranger = createClient({ url: service.url, tokens: memoryTokens() });
      const refused = (name: string) => (error: unknown) =>
        error instanceof ListenError && error.failure.error.error === name && error.message !== '';
      await assert.rejects(listen(stranger).next(), refused('token_missing'));
      await assert.rejects(listen(revoked).next(), refused('token_revoked'));
      site.meddle('/api/events', (_, reply) => reply.writeHead(400).end());
      await assert.rejects(listen(stoa).next(), refused('unexpected'));
    });

    it('Listening after what is no id of an event hears one reset, and what comes then', async (t) => {
      const { stoa } = await signedIn(t);
      const leaving = new AbortController();
      t.after(() => leaving.abort());
      const events = listen(stoa, { after: 'x', signal: leaving.signal });
      const first = await events.next();
      assert.equal(first.value?.event, 'reset');
      const made = await stoa.call('createContent', { body: { title: 'Hello', content: 'x' } });
      assert.ok(made.ok);
      // The accounts of this test may be told of before.
      for await (const { event, data } of events) {
        assert.notEqual(event, 'reset');
        if (event === 'content.created' && data.id === made.data.id) break;
      }
    });

    it('Listening ends without a failure where the session ends', async (t) => {
      const { service, stoa } = await signedIn(t);
      const ended = (async () => {
        // The account of this test may be told of.
        for await (const { event } of listen(stoa)) assert.equal(event, 'user.created');
      })();
      const me = await stoa.call('getMe');
      assert.ok(me.ok);
      const other = await login(service.url, me.data.username);
      await call(service.url, 'DELETE', '/api/auth/sessions', { token: other.token });
      await ended;
      assert.equal(stoa.session.state, 'signed-out');
    });

    it('A list in a query is a parameter that is repeated, and an undefined one is left out', async (t) => {
      const { stoa, author } = await signedIn(t);
      const tags = [['a,b', 'c'], ['a,b'], ['c'], ['a', 'b']];
      const ids: number[] = [];
      for (const each of tags) {
        const made = await stoa.call('createContent', { body: { title: 'Hello', content: 'x', tags: each } });
        assert.ok(made.ok);
        ids.push(made.data.id);
      }
      const found = async (query: { tag?: string[]; any_tag?: string[] }) => {
        const list = await stoa.call('listContent', {
          query: { ...query, author, fields: 'id', sort: 'oldest' },
        });
        return list.ok && list.data.items.map(({ id = 0 }) => ids.indexOf(id));
      };
      assert.deepEqual(await found({ tag: ['a,b', 'c'] }), [0]);
      assert.deepEqual(await found({ tag: ['a,b'] }), [0, 1]);
      assert.deepEqual(await found({ any_tag: ['c', 'b'] }), [0, 2, 3]);
      assert.deepEqual(await found({ tag: [] }), [0, 1, 2, 3]);
    });

    it('A token of a session that a tab has left, told late by another tab, changes nothing', async (t) => {
      const { service, stoa, username } = await signedIn(t, sharedTokens());
      const other = await newAccount(service.url);
      const [tab, witness] = [1, 2].map(() => new BroadcastChannel(stoa.session.name ?? ''));
      assert.ok(tab && witness);
      t.after(() => {
        tab.close();
        witness.close();
      });
      const tell = async (message: object) => {
        const heard = new Promise((resolve) => witness.addEventListener('message', resolve, { once: true }));
        tab.postMessage(message);
        await heard;
        await setImmediate();
      };
      await tell({ token: other.token, life: 600_000 });
      assert.equal(await nameOf(stoa), username);
      // A new session of another tab is taken over, and the page hears of it where it is of another account.
      let heard = 0;
      stoa.session.subscribe(() => heard++);
      const again = await login(service.url, username);
      await tell({ token: again.token, life: 600_000, isNew: true });
      assert.equal(heard, 0);
      await tell({ token: other.token, life: 600_000, isNew: true });
      assert.equal(heard, 1);
      assert.equal(await nameOf(stoa), other.username);
      await stoa.signOut();
      await tell({ token: other.token, life: 600_000 });
      assert.equal(stoa.session.state, 'signed-out');
      assert.equal(await nameOf(stoa), 'token_missing');
      await tell({ token: (await newAccount(service.url)).token, life: 600_000, isNew: true });
      assert.equal(stoa.session.state, 'signed-in');
    });

    it('Two clients whose storages are not one have an account each under the same key', async (t) => {
      const { site, stoa, username, service } = await signedIn(t, tokensApart());
      const account = await newAccount(service.url);
      const other = createClient({ url: site.url, tokens: tokensApart() });
      assert.ok((await other.signIn({ username: account.username, password: PASSWORD })).ok);
      // What one of them told the other would be there by then.
      await pause(100);
      assert.deepEqual([await nameOf(stoa), await nameOf(other)], [username, account.username]);
      await other.signOut();
      await pause(100);
      assert.equal(stoa.session.state, 'signed-in');
      assert.equal(await nameOf(stoa), username);
    });

    it('A call of one account is not made in the name of another one that signed in meanwhile', async (t) => {
      const tokens = sharedTokens();
      const { service, site, stoa, username } = await signedIn(t, tokens);
      const other = await newAccount(service.url);
      let heard = 0;
      stoa.session.subscribe(() => heard++);
      const create = () =>
        stoa.call('createContent', { body: { title: 'Hello', content: 'The first item.' } });
      const isRefused = async (made: ReturnType<typeof create>) => {
        const result = await made;
        assert.equal(!result.ok && result.error.error, 'token_revoked');
        assert.equal(await nameOf(stoa), other.username);
        const own = await stoa.call('listContent', { query: { author: other.id } });
        assert.equal(own.ok && own.data.total, 0);
      };
      service.passTime(EXPIRED_MS);
      // As the app of another origin does it, which has the cookie too and tells the tabs of this one nothing.
      tokens.write(other.refreshToken);
      await isRefused(create());
      assert.equal(heard, 1);

      assert.ok((await stoa.signIn({ username, password: PASSWORD })).ok);
      service.passTime(EXPIRED_MS);
      const asked = Promise.withResolvers<void>();
      const free = Promise.withResolvers<void>();
      site.meddle('/api/content', async (_asked, _reply, answer) => {
        site.meddle('/api/content', undefined);
        asked.resolve();
        await free.promise;
        await answer();
      });
      const made = create();
      await asked.promise;
      assert.ok((await stoa.signIn({ username: other.username, password: PASSWORD })).ok);
      free.resolve();
      await isRefused(made);
      assert.equal(heard, 3);
    });

    it('A walk gives each item that lives throughout once, while others are made', async (t) => {
      const { service, stoa } = await signedIn(t);
      const { token } = await newAccount(service.url);
      const ids = (await Promise.all(Array.from({ length: 25 }, () => newItem(service.url, token)))).map(
        ({ id }) => id,
      );
      const seen: number[] = [];
      for await (const row of stoa.walk('listContent', { query: { per_page: 5, fields: 'id' } })) {
        if (seen.length % 5 === 0) await newItem(service.url, token);
        if (row.id !== undefined) seen.push(row.id);
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(
        ids.filter((id) => !seen.includes(id)),
        [],
      );
      const refused = async () => {
        for await (const _row of stoa.walk('listAuditEvents')) assert.fail();
      };
      await assert.rejects(refused, (error) => error instanceof WalkError && error.failure.status === 403);
    });
  });
});

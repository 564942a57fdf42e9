import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { disableAccount, setRole } from '../../src/accounts/administer.ts';
import { generateKey } from '../../src/sessions/keys.ts';
import { endSession, findCallers } from '../../src/sessions/session.ts';
import { listSigningKeys, revokeSigningKey } from '../../src/sessions/signing-keys.ts';
import type { Store } from '../../src/store/store.ts';
import { listen } from '../content/black-box/event-stream.ts';
import { requestsTo } from '../content/black-box/requests.ts';
import { type Account, call, newAccount, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startFleet } from '../support/fleet.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken } from '../support/people.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const DAY = 24 * 60 * 60 * 1_000;

/** What ends all streams of an account. */
const ENDS: Record<string, (service: RunningService, account: Account) => Promise<unknown>> = {
  'whose account is disabled': ({ store }, { username }) =>
    store.write(disableAccount, { account: username, now: Date.now() }),
  'whose account has to set up a second factor first': ({ store }, { username }) =>
    store.write(setRole, { account: username, role: 'admin', now: Date.now() }),
  'whose account is closed': ({ url }, { token }) => call(url, 'DELETE', '/api/users/me', { token }),
  'that another session ended': async ({ url }, { username, token }) => {
    const body = { username, password: PASSWORD };
    const other = await call(url, 'POST', '/api/auth/login', { body });
    const id = sessionIdOf(token);
    await call(url, 'DELETE', `/api/auth/sessions/${id}`, { token: other.body.data.token });
  },
  'whose password was changed from another session': async ({ url }, { username }) => {
    const body = { username, password: PASSWORD };
    const other = await call(url, 'POST', '/api/auth/login', { body });
    const change = { current_password: PASSWORD, new_password: `${PASSWORD} 2` };
    await call(url, 'POST', '/api/auth/password', { token: other.body.data.token, body: change });
  },
};

/** Removes the key that signs, and returns it. */
async function removeKey({ store, sealing }: Pick<RunningService, 'store' | 'sealing'>) {
  const [key] = await store.read(listSigningKeys, null);
  assert.ok(key);
  const successor = await generateKey(sealing, Date.now());
  await store.write(revokeSigningKey, { kid: key.kid, successor, now: Date.now() });
  return key;
}

onEveryEngine('The end of a stream', (engine) => {
  const suite = (service: () => RunningService) => {
    const { done, member } = requestsTo(service);

    for (const [title, end] of Object.entries(ENDS))
      it(`A stream ${title} ends, and those of others go on`, async (t) => {
        const account = await member();
        const streams = [account, await member()].map((each) => listen(service().url, each));
        const [own, other] = await Promise.all(streams);
        assert.ok(own && other);
        t.after(other.close);
        await end(service(), account);
        await until(own.isOver, 'the stream is over');
        assert.equal(other.isOver(), false);
      });

    it('A stream of a personal access token ends when the token is revoked', async () => {
      const account = await member();
      const token = await newPersonalToken(service().url, account, 'read');
      const listener = await listen(service().url, { token });
      const { items } = await done(account, 'GET', '/api/auth/tokens');
      await done(account, 'DELETE', `/api/auth/tokens/${items[0].id}`);
      await until(listener.isOver, 'the stream is over');
    });
  };
  describeOnService(engine, 'on one service', suite, { MFA_REQUIRED: 'admins' });

  describeInTurn(engine, 'of many accounts', (service) => {
    it('A stream outlives its access token, and ends where its session was not refreshed for too long', async () => {
      const { url, passTime } = service();
      const account = await newAccount(url);
      const listener = await listen(url, account);
      passTime(DAY);
      const { id } = await newAccount(url);
      await until(() => listener.events.some(({ data }) => data.id === id), 'the item is heard of');
      assert.equal(listener.isOver(), false);
      passTime(14 * DAY);
      await until(listener.isOver, 'the stream is over');
    });

    it('All streams end when a signing key is removed, because its tokens are refused from then on', async () => {
      const { url } = service();
      const listener = await listen(url, await newAccount(url));
      await removeKey(service());
      await until(listener.isOver, 'the stream is over');
    });

    it('A ticket of before a signing key is removed opens no stream after it', async () => {
      const { url } = service();
      const { body } = await call(url, 'POST', '/api/events/tickets', await newAccount(url));
      await removeKey(service());
      await setTimeout(1_000);
      const late = await call(url, 'GET', `/api/events?ticket=${body.data.ticket}`);
      assertFailure(late, 401, 'token_invalid');
    });
  });

  it('A service that closes ends its streams at once', async (t) => {
    const { url, close } = await startService(t, engine);
    const listener = await listen(url, await newAccount(url));
    await close();
    await until(listener.isOver, 'the stream is over');
  });

  it('A stream ends on every instance, although its session ended on another one', async (t) => {
    const fleet = await startFleet(t, engine);
    const account = await newAccount(fleet.instance(0).url);
    const listeners = [
      await listen(fleet.instance(0).url, account),
      await listen(fleet.instance(1).url, account),
    ];
    await call(fleet.instance(0).url, 'POST', '/api/auth/logout', account);
    for (const { isOver } of listeners) await until(isOver, 'the stream is over');
  });

  it('A stream ends although nobody announced the end of its session', async (t) => {
    const wrap = (store: Store): Store => ({ ...observed(store, {}), onAnnouncement: () => {} });
    const { url, store } = await startService(t, engine, {}, { wrap });
    const account = await newAccount(url);
    const listener = await listen(url, account);
    const sessionId = sessionIdOf(account.token);
    await store.write(endSession, { sessionId, userId: account.id, now: Date.now(), origin: null });
    await until(listener.isOver, 'the stream is over');
  });

  it('A stream that was asked for before its signing key was removed, and opens later, ends too', async (t) => {
    const opened = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<void>();
    const before = (operation: string) => {
      if (operation !== findCallers.name) return;
      opening.resolve();
      return opened.promise;
    };
    const wrap = (store: Store) => observed(store, { before });
    const service = await startService(t, engine, {}, { wrap });
    const listening = listen(service.url, await newAccount(service.url));
    await opening.promise;
    const { kid } = await removeKey(service);
    const keys = async () => (await fetch(`${service.url}/.well-known/jwks.json`)).text();
    await until(async () => !(await keys()).includes(kid), 'the removal is known');
    // Two checks of all, which this stream is not among yet.
    await setTimeout(1_200);
    opened.resolve();
    await until((await listening).isOver, 'the stream is over');
  });
});

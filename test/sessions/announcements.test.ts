import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Announcement } from '../../src/store/announcements.ts';
import { writeOperation } from '../../src/store/operation.ts';
import { SITE } from '../support/authenticator.ts';
import { type Account, call, login, newAccount, newName, PASSWORD, refresh } from '../support/client.ts';
import { type Lifetime, lifetimeOfSuite, onEveryEngine } from '../support/engines.ts';
import { mailLink, reset } from '../support/mail.ts';
import { newPasskey } from '../support/passkeys.ts';
import { newWithRole } from '../support/people.ts';
import { beginTotp, codeOf, confirmTotp, guard } from '../support/second-factor.ts';
import { openInstance, type RunningService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { newTarget, sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const NEW_PASSWORD = 'a better horse battery';

const session = (key: string): Announcement => ({ topic: 'session', key });
/** A request of the account. */
const own = ({ token }: Account) => ({ token });
const account = ({ id }: Account): Announcement => ({ topic: 'account', key: id });

type Answered = Promise<{ readonly status: number }>;
/** What is done to an account, after what has to be there before, and what the feed says of it. */
type Doing = (
  service: RunningService,
  owner: Account,
) => Promise<{ readonly change: () => Answered; readonly heard: Announcement }>;

const DOINGS: Record<string, Doing> = {
  'a sign-out': async ({ url }, owner) => ({
    change: () => call(url, 'POST', '/api/auth/logout', own(owner)),
    heard: session(sessionIdOf(owner.token)),
  }),
  'a session that its owner ended': async ({ url }, owner) => {
    const id = sessionIdOf((await login(url, owner.username)).token);
    return { change: () => call(url, 'DELETE', `/api/auth/sessions/${id}`, own(owner)), heard: session(id) };
  },
  'all other sessions that their owner ended': async ({ url }, owner) => {
    for (let each = 0; each < 2; each++) await login(url, owner.username);
    return { change: () => call(url, 'DELETE', '/api/auth/sessions', own(owner)), heard: account(owner) };
  },
  'a session that an admin ended': async (service, owner) => {
    const id = sessionIdOf(owner.token);
    const path = `/api/users/${owner.id}/sessions/${id}`;
    return { change: byAdmin(service, 'DELETE', path), heard: session(id) };
  },
  'all sessions that an admin ended': async (service, owner) => {
    await login(service.url, owner.username);
    return { change: byAdmin(service, 'DELETE', `/api/users/${owner.id}/sessions`), heard: account(owner) };
  },
  'a refresh token that came back': async ({ url }, owner) => {
    const { body } = await refresh(url, owner.refreshToken);
    await refresh(url, body.data.refresh_token);
    const change = () => refresh(url, owner.refreshToken).then(() => ({ status: 200 }));
    return { change, heard: session(sessionIdOf(owner.token)) };
  },
  'a personal access token that its owner revoked': async ({ url }, owner) => {
    const id = await newTarget(url, '/api/auth/tokens/', owner);
    return { change: () => call(url, 'DELETE', `/api/auth/tokens/${id}`, own(owner)), heard: session(id) };
  },
  'a personal access token that an admin revoked': async (service, owner) => {
    const id = await newTarget(service.url, '/api/auth/tokens/', owner);
    return { change: byAdmin(service, 'DELETE', `/api/users/${owner.id}/tokens/${id}`), heard: session(id) };
  },
  'another password': async ({ url }, owner) => {
    const { token } = await login(url, owner.username);
    const body = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    return {
      change: () => call(url, 'POST', '/api/auth/password', { token: owner.token, body }),
      heard: session(sessionIdOf(token)),
    };
  },
  'a password chosen by a link': async (service, owner) => {
    await login(service.url, owner.username);
    const token = await mailLink(service, owner.id, NOW);
    return { change: () => reset(service.url, token, NEW_PASSWORD), heard: account(owner) };
  },
  'another user name': async ({ url }, { token, ...owner }) => ({
    change: () => call(url, 'PUT', '/api/users/me', { token, body: { username: newName() } }),
    heard: account({ token, ...owner }),
  }),
  'another role': async (service, owner) => ({
    change: byAdmin(service, 'PUT', `/api/users/${owner.id}`, { role: 'admin' }),
    heard: account(owner),
  }),
  'a disabled account': async (service, owner) => ({
    change: byAdmin(service, 'PUT', `/api/users/${owner.id}`, { disabled: true }),
    heard: session(sessionIdOf(owner.token)),
  }),
  'an account that its owner closed': async ({ url }, owner) => ({
    change: () => call(url, 'DELETE', '/api/users/me', own(owner)),
    heard: session(sessionIdOf(owner.token)),
  }),
  'an account that an admin removed': async (service, owner) => ({
    change: byAdmin(service, 'DELETE', `/api/users/${owner.id}`),
    heard: session(sessionIdOf(owner.token)),
  }),
  'an authenticator app that was turned on': async ({ url }, owner) => {
    const code = codeOf(await beginTotp(url, owner.token), NOW);
    return { change: () => confirmTotp(url, owner.token, code), heard: account(owner) };
  },
  'an authenticator app that was turned off': async ({ url }, owner) => {
    await guard(url, owner, NOW);
    return { change: () => call(url, 'DELETE', '/api/auth/totp', own(owner)), heard: account(owner) };
  },
  'a first passkey': async ({ url }, owner) => ({
    change: () => newPasskey(url, owner).then(() => ({ status: 200 })),
    heard: account(owner),
  }),
  'a passkey that was removed': async ({ url }, owner) => {
    const { id } = await newPasskey(url, owner);
    return {
      change: () => call(url, 'DELETE', `/api/auth/passkeys/${id}`, own(owner)),
      heard: account(owner),
    };
  },
  'second factors that an admin removed': async (service, owner) => {
    await guard(service.url, owner, NOW);
    const path = `/api/users/${owner.id}/second-factors`;
    return { change: byAdmin(service, 'DELETE', path), heard: account(owner) };
  },
};

/** A request of a new admin, who signs in when it is sent. */
function byAdmin(service: RunningService, method: string, path: string, body?: object) {
  return async () => {
    const { token } = await newWithRole(service, 'admin');
    return call(service.url, method, path, body ? { token, body } : { token });
  };
}

onEveryEngine('Announcements', (engine) => {
  let url = '';
  const database = {
    ...engine,
    settings: async (t: Lifetime) => {
      const settings = await engine.settings(t);
      url = settings.DATABASE_URL ?? '';
      return settings;
    },
  };
  describeOnService(
    database,
    'of one service',
    (service) =>
      // One after another: what is announced later is heard later.
      describe('one after another', { concurrency: false }, () => {
        const lifetime = lifetimeOfSuite();
        const [here, elsewhere]: [Announcement[], Announcement[]] = [[], []];
        /** Resolves when each instance has heard everything that was announced before. */
        const heardAll = async () => {
          if (engine.name !== 'PostgreSQL') return;
          const times = () =>
            [here, elsewhere].map((heard) => heard.filter((each) => each === 'anything').length);
          // What an earlier call announced is no sign that this one's was heard.
          const before = times();
          await service().store.write(announceLast, null);
          const isHeard = () => times().every((count, at) => count > (before[at] ?? 0));
          await until(isHeard, 'every instance hears what came last');
        };
        before(async () => {
          service().store.onAnnouncement((each) => here.push(each));
          if (engine.name === 'PostgreSQL') await listenElsewhere(lifetime, url, elsewhere);
        });

        for (const [title, doing] of Object.entries(DOINGS))
          it(`The feed announces once, before the answer and on every instance: ${title}`, async () => {
            const { change, heard } = await doing(service(), await newAccount(service().url));
            const expectedOf = (all: readonly Announcement[]) =>
              all.filter((each) => JSON.stringify(each) === JSON.stringify(heard));
            await heardAll();
            here.length = elsewhere.length = 0;
            assert.equal((await change()).status, 200);
            assert.equal(expectedOf(here).length, 1, JSON.stringify(here));
            // Nothing of the change is under way any more: what this instance announced does not come back to it.
            await heardAll();
            assert.equal(expectedOf(here).length, 1, 'it came back');
            if (engine.name === 'PostgreSQL')
              assert.equal(expectedOf(elsewhere).length, 1, JSON.stringify(elsewhere));
          });
      }),
    { PUBLIC_URL: SITE.origin },
    // The clock of the service stands still, so that nothing is read again for its age.
    { clock: () => NOW },
  );
});

const announceLast = writeOperation('test.announce_last', (db, _: null, engine) =>
  engine.announce(db, 'anything'),
);

/** Another instance, which listens when this resolves, and what it hears. */
async function listenElsewhere(t: Lifetime, url: string, heard: Announcement[]): Promise<void> {
  const store = await openInstance(url, 1);
  t.after(() => store.close());
  store.onAnnouncement((announcement) => heard.push(announcement));
  await until(() => heard.length > 0, 'the other instance listens');
}

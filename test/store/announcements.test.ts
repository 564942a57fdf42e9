// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { disableAccount, setRole } from '../../src/accounts/administer.ts';
import { type Account, call, login, newAccount, newItem, newName, refresh } from '../support/client.ts';
import { lifetimeOfSuite, postgres, sameDatabase } from '../support/engines.ts';
import { execute } from '../support/postgres.ts';
import { type RunningService, startService } from '../support/service.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);

interface Change {
  readonly make: (one: RunningService, account: Account) => Promise<unknown>;
  /** What the other instance is asked, and its statuses at first and after the change. */
  readonly asked: readonly [path: string, first: number, after: number];
}

const CHANGES: Record<string, Change> = {
  'a logout': {
    make: ({ url }, { token }) => call(url, 'POST', '/api/auth/logout', { token }),
    asked: ['/api/users/me', 200, 401],
  },
  'a session that another one ended': {
    make: async ({ url }, { username, token }) => {
      const other = await login(url, username);
      await call(url, 'DELETE', `/api/auth/sessions/${sessionIdOf(token)}`, { token: other.token });
    },
    asked: ['/api/users/me', 200, 401],
  },
  'a refresh token that came back': {
    make: async ({ url }, { refreshToken }) => {
      const { body } = await refresh(url, refreshToken);
      await refresh(url, body.data.refresh_token);
      await refresh(url, refreshToken);
    },
    asked: ['/api/users/me', 200, 401],
  },
  'a disabled account': {
    make: ({ store }, { username }) => store.write(disableAccount, { account: username, now: NOW }),
    asked: ['/api/users/me', 200, 401],
  },
  'another role': {
    make: ({ store }, { username }) => store.write(setRole, { account: username, role: 'admin', now: NOW }),
    asked: ['/api/users', 403, 200],
  },
};

// What an instance remembers never grows old here, because its clock stands still.
describe('Announcements to an instance that reads nothing again', { concurrency: true }, () => {
  const lifetime = lifetimeOfSuite();
  let one: RunningService;
  let other: RunningService;
  before(async () => {
    const database = await sameDatabase(lifetime, postgres);
    // The list of users is for admins, so that a role can be told by it.
    const start = () => startService(lifetime, database, { USERS_LIST: 'admins' }, { clock: () => NOW });
    [one, other] = [await start(), await start()];
  });

  for (const [title, { make, asked }] of Object.entries(CHANGES))
    it(`Another instance hears of ${title}`, async () => {
      const [path, first, after] = asked;
      const account = await newAccount(one.url);
      const status = async () => (await call(other.url, 'GET', path, { token: account.token })).status;
      assert.equal(await status(), first);
      await make(one, account);
      await until(async () => (await status()) !== first, 'the other instance answers otherwise');
      assert.equal(await status(), after);
    });

  it('An instance whose connection was lost reads again what it remembered of sessions', async (t) => {
    const database = await sameDatabase(t, postgres);
    const { url } = await startService(t, database, {}, { clock: () => NOW });
    const { DATABASE_URL = '' } = await database.settings(t);
    const { id, token } = await newAccount(url);
    const status = async () => (await call(url, 'GET', '/api/users/me', { token })).status;
    assert.equal(await status(), 200);
    // As if another instance had ended it while the connection was lost.
    await execute(DATABASE_URL, `DELETE FROM sessions WHERE user_id = ${id}`);
    assert.equal(await status(), 200, 'it is remembered');
    await execute(
      DATABASE_URL,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    );
    await until(async () => (await status()) === 401, 'the session has ended for the instance');
  });

  it('Another instance hears of another user name', async () => {
    const { token } = await newAccount(one.url);
    const author = async () => (await newItem(other.url, token)).author.username;
    await author();
    const username = newName();
    await call(one.url, 'PUT', '/api/users/me', { token, body: { username } });
    await until(async () => (await author()) === username, 'the other instance has the new name');
  });
});

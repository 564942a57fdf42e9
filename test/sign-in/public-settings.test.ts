import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { App } from '../../src/http/server.ts';
import { openStore } from '../../src/open-store.ts';
import { call, newAccount, newItem, newName } from '../support/client.ts';
import { onOneEngine, PATIENCE, sqlite, type TestEngine, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { cheapHashing, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

it('The public settings are one answer that may be cached, with all that a form needs', async (t) => {
  const lengths = {
    username_length: { min: 3, max: 20 },
    display_name_length: { min: 0, max: 50 },
    name_length: { min: 1, max: 100 },
    password_length: { min: 8, max: 256 },
  };
  const ask = async (settings: Record<string, string>) => {
    const { url } = await startService(t, sqlite, settings);
    const { status, headers, body } = await call(url, 'GET', '/api/auth/settings');
    assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=300']);
    return body.data;
  };
  assert.deepEqual(await ask({}), {
    registration: 'open',
    email_verification: 'off',
    mfa_required: 'none',
    mail: false,
    passkeys: false,
    password_blocklist: false,
    trash_days: 30,
    deletion_days: 7,
    ...lengths,
  });
  const all = {
    REGISTRATION: 'invite',
    EMAIL_VERIFICATION: 'required',
    MFA_REQUIRED: 'admins',
    SMTP_URL: 'log',
    PUBLIC_URL: 'https://stoa.example',
    PASSWORD_BLOCKLIST: 'builtin',
    TRASH_DAYS: '0',
    DELETION_DAYS: '0',
  };
  assert.deepEqual(await ask(all), {
    registration: 'invite',
    email_verification: 'required',
    mfa_required: 'admins',
    mail: true,
    passkeys: true,
    password_blocklist: true,
    trash_days: 0,
    deletion_days: 0,
    ...lengths,
  });
});

// Decided before the store is asked, which is the same on every engine.
onOneEngine('Settings', (engine) => {
  describeOnService(
    engine,
    'of one service',
    (service) => {
      it('CONTENT_READ=members restricts reading to signed-in users', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const item = await newItem(url, token);
        for (const path of ['/api/content', '/api/content?keyword=a', `/api/content/${item.id}`]) {
          assertFailure(await call(url, 'GET', path), 401, 'token_missing');
          assert.equal((await call(url, 'HEAD', path)).status, 401);
          assert.equal((await call(url, 'GET', path, { token })).status, 200);
        }
      });

      it('PASSWORD_BLOCKLIST refuses the passwords of the file, in any case', async () => {
        const { url } = service();
        const register = (password: string) => {
          const username = newName();
          return call(url, 'POST', '/api/auth/register', {
            body: { username, email: `${username}@example.org`, password },
          });
        };
        for (const password of ['password1', 'PASSWORD1', 'correct horse'])
          assertFailure(await register(password), 400, 'validation_failed', {
            field: 'password',
            rule: 'blocklist',
          });
        assert.equal((await register('password12')).status, 200);
      });

      it('PUBLIC_URL is the issuer, and with https it adds Strict-Transport-Security', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const { iss } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        assert.equal(iss, 'https://stoa.example');
        const { headers } = await call(url, 'GET', '/livez');
        assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/);
      });
    },
    async (t) => {
      const file = join(await temporaryFolder(t), 'common.txt');
      await writeFile(file, 'Password1\r\ncorrect horse\n');
      return {
        CONTENT_READ: 'members',
        PASSWORD_BLOCKLIST: file,
        PUBLIC_URL: 'https://stoa.example/',
      };
    },
  );

  it('USERS_LIST=admins restricts the list of users to admins', async (t) => {
    const service = await startService(t, engine, { USERS_LIST: 'admins' });
    const { url } = service;
    assertFailure(await call(url, 'GET', '/api/users'), 401, 'token_missing');
    for (const role of ['member', 'editor'] as const) {
      const { token } = await newWithRole(service, role);
      assertFailure(await call(url, 'GET', '/api/users', { token }), 403, 'forbidden');
      assert.equal((await call(url, 'HEAD', '/api/users', { token })).status, 403);
      assert.equal((await call(url, 'GET', '/api/users/me', { token })).status, 200);
    }
    const { token } = await newWithRole(service, 'admin');
    assert.equal((await call(url, 'GET', '/api/users', { token })).body.data.total, 3);
  });

  it('PASSWORD_BLOCKLIST=builtin refuses 100,000 passwords that are common, in any case', async (t) => {
    assert.equal(readConfig({ PASSWORD_BLOCKLIST: 'builtin' }).passwordBlocklist.size, 100_000);
    const { url } = await startService(t, engine, { PASSWORD_BLOCKLIST: 'builtin' });
    const register = (password: string) => {
      const username = newName();
      return call(url, 'POST', '/api/auth/register', {
        body: { username, email: `${username}@example.org`, password },
      });
    };
    for (const password of ['password', '12345678', 'PassWord123', 'iloveyou2', 'trustno1', 'stardust1'])
      assertFailure(await register(password), 400, 'validation_failed', {
        field: 'password',
        rule: 'blocklist',
      });
    assert.equal((await register('correct horse battery')).status, 200);
  });

  it('TRUST_PROXY says whose X-Forwarded-* headers count', async (t) => {
    const trusted = await seenBy(t, engine, { TRUST_PROXY: '10.0.0.0/8,127.0.0.1' });
    assert.deepEqual(trusted, { ip: '203.0.113.7', protocol: 'https' });
    for (const settings of [{}, { TRUST_PROXY: 'off' }, { TRUST_PROXY: '10.0.0.0/8' }])
      assert.deepEqual(await seenBy(t, engine, settings), { ip: '127.0.0.1', protocol: 'http' });
  });
});

it('HOST=localhost is 127.0.0.1 only, because ::1 would need a second server without limits', () => {
  assert.equal(readConfig({ HOST: 'localhost' }).host, '127.0.0.1');
});

// Thrown before the store is asked.
onOneEngine('Routes without a declaration', (engine) => {
  for (const path of ['/api/users/me', '/livez', '/docs', '/api/content/:id'])
    it(`The route ${path} stops the start when it declares nothing`, async (t) => {
      await assert.rejects(buildWithout(t, engine, path), {
        message: new RegExp(`The route \\w+ ${path} does not state its access, limits, shows`),
      });
    });
});

/** Who the service takes a client for that says it comes over https from elsewhere. */
async function seenBy(t: TestContext, engine: TestEngine, settings: Record<string, string>) {
  let seen: unknown;
  const app = await build(t, { ...(await engine.settings(t)), ...settings }, async (bare) => {
    bare.addHook('onRequest', async ({ ip, protocol }) => {
      seen = { ip, protocol };
    });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
  assert.equal((await call(url, 'GET', '/livez', { headers })).status, 200);
  return seen;
}

/** Assembles the service as ever, but for what the routes of one path state. */
async function buildWithout(t: TestContext, engine: TestEngine, path: string) {
  await build(t, await engine.settings(t), async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.url === path) delete route.config;
    });
  });
}

async function build(
  t: TestContext,
  settings: Record<string, string>,
  beforeRoutes: (app: App) => Promise<void>,
): Promise<App> {
  const config = readConfig(settings);
  const store = await openStore(config.database, { notice: () => {}, patience: PATIENCE });
  const opened: App[] = [];
  t.after(async () => {
    await Promise.all(opened.map((app) => app.close()));
    await store.close();
  });
  const logger = pino({ level: 'silent' });
  const app = await buildApp({ config, store, hashing: cheapHashing, logger, beforeRoutes });
  opened.push(app);
  return app;
}

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { TABLES } from '../../src/features.ts';
import { openStore } from '../../src/open-store.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, newAccount, newItem, newName, PASSWORD, refresh } from '../support/client.ts';
import { askToChange, follow } from '../support/email.ts';
import { onEveryEngine, PATIENCE, type TestEngine } from '../support/engines.ts';
import { forget, newResetLink, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { challengeOf, newGuarded } from '../support/second-factor.ts';
import { cheapHashing, type RunningService, startService } from '../support/service.ts';
import { signIn, WRONG } from '../support/sign-in.ts';
import { isSlowLine } from '../support/slow-line.ts';

const readEverything = readOperation('test.read_everything', async (db) => {
  const rowsOf = async (table: string) => (await sql`select * from ${sql.table(table)}`.execute(db)).rows;
  return Promise.all(TABLES.carried.map(async (table) => [table, await rowsOf(table)] as const));
});

/** Where the secrets of the first test are kept: hashed, sealed, or not at all. */
const WITH_SECRETS = [
  ...['users', 'sessions', 'signing_keys', 'secrets', 'personal_tokens', 'audit_events', 'links', 'mails'],
  ...['totp_secrets', 'recovery_codes', 'second_factor_challenges', 'event_tickets', 'webhook_secrets'],
];

onEveryEngine('Secrets in logs, tables and answers', (engine) => {
  it('A password, a token or a key is in no log line, no table and no answer but the one that gives it', async (t) => {
    const service = await startService(t, engine);
    const { url, store, log } = service;
    const { username, token, refreshToken } = await newAccount(url);
    const next = (await refresh(url, refreshToken)).body.data;
    await newItem(url, next.token);
    const key = await newPersonalToken(url, next);
    assert.equal((await call(url, 'GET', '/api/users/me', { token: key })).status, 200);
    const wrongPassword = 'an almost right password';
    const given = await givenOnce(service);
    const answers = [
      await call(url, 'POST', '/api/auth/login', { body: { username, password: wrongPassword } }),
      await call(url, 'POST', '/api/auth/register', {
        body: { username, email: 'a@b.org', password: PASSWORD },
      }),
      await call(url, 'POST', '/api/auth/register', {
        body: { username: PASSWORD, email: 1, password: PASSWORD },
      }),
      await call(url, 'POST', '/api/auth/login', { body: `{"password":"${PASSWORD}"` }),
      await call(url, 'GET', '/api/users', { token }),
      await call(url, 'GET', '/api/users', { token: `${token}x` }),
      await call(url, 'GET', '/api/users/me', { token: next.refresh_token }),
      await call(url, 'POST', '/api/auth/refresh', { token }),
      await call(url, 'GET', '/api/content'),
      await call(url, 'GET', '/api/auth/tokens', { token }),
      await call(url, 'GET', '/api/users/me', { token: `${key}x` }),
      await call(url, 'POST', '/api/auth/refresh', { token: key }),
    ];
    // The tables that a move does not carry are made of these.
    const tables = new Map(await store.read(readEverything, undefined));
    for (const table of WITH_SECRETS) assert.ok((tables.get(table)?.length ?? 0) > 0, table);
    const places = {
      tables: JSON.stringify([...tables]),
      log: log.join(''),
      answers: JSON.stringify(answers.map(({ body }) => body)),
    };
    const secrets = {
      PASSWORD,
      wrongPassword,
      token,
      refreshToken,
      nextToken: next.token,
      key,
      nextRefresh: next.refresh_token,
      ...given,
    };
    for (const [place, text] of Object.entries(places))
      for (const [name, secret] of Object.entries(secrets))
        for (const part of [secret, secret.split('.').at(-1) ?? secret])
          assert.ok(!text.includes(part), `${name} in ${place}`);
    assert.ok(!places.answers.includes('argon2'), 'a hash in an answer');
    for (const key of ['signing_keys', 'secrets', 'audit_events'] as const) {
      const [row] = tables.get(key) ?? [];
      const kept = JSON.stringify(row).match(/[\w-]{43}/g) ?? [];
      assert.ok(kept.length > 0);
      for (const each of kept) assert.ok(!places.log.includes(each) && !places.answers.includes(each), key);
    }
  });

  it('An internal error shows no secret in the log, and no cause in the answer', async (t) => {
    const { app, store, log } = await assemble(t, engine);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { username, token } = await newAccount(url);
    await store.close();
    const answer = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    assert.ok(answer.status >= 500);
    assert.deepEqual(Object.keys(answer.body.data).sort(), ['error', 'request_id']);
    assert.doesNotMatch(JSON.stringify(answer.body), /\.ts|node_modules|select|sqlite|postgres| at /i);
    const lines = log.filter((line) => !isSlowLine(line)).map((line) => JSON.parse(line));
    const about = lines.filter((line) => line.request_id === answer.body.data.request_id);
    assert.deepEqual(about.map(({ msg }) => msg).sort(), ['request', 'request failed']);
    assert.ok(!log.join('').includes(PASSWORD) && !log.join('').includes(token));
  });
});

const readEvents = readOperation('test.read_events', (db, _: null) =>
  db.selectFrom('audit_events').selectAll().execute(),
);

onEveryEngine('E-mail addresses in the audit trail', (engine) => {
  it('An e-mail address is in no event of the audit trail', async (t) => {
    const mails = await startMailServer(t);
    const service = await startService(t, engine, mails.settings);
    const { url, store } = service;
    const [{ id, email, token }, admin] = [await newAccount(url), await newWithRole(service, 'admin')];
    const newAddress = () => `${newName()}@example.org`;
    const ask = async (method: string, path: string, by: string, body?: object) => {
      const answer = await call(url, method, path, { token: by, ...(body && { body }) });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.data;
    };
    assert.equal((await signIn(url, email, WRONG)).status, 401);
    await ask('POST', '/api/auth/email/verification', token);
    const proof = tokenIn(await mails.nextTo(email), 'verify-email');
    assert.equal((await follow(url, 'verify', proof)).status, 200);
    await forget(url, email);
    await mails.nextTo(email);
    await askToChange(url, token, newAddress());
    await ask('POST', '/api/auth/email/change/resend', token);
    await ask('DELETE', '/api/auth/email/change', token);
    const next = newAddress();
    await askToChange(url, token, next);
    const change = tokenIn(await mails.nextTo(next), 'confirm-email');
    assert.equal((await follow(url, 'confirm', change)).status, 200);
    const undo = tokenIn(await mails.nextTo(email), 'revert-email');
    assert.equal((await follow(url, 'revert', undo)).status, 200);
    await ask('PUT', `/api/users/${id}`, admin.token, { email: newAddress() });
    const invited = { email: newAddress(), role: 'member' };
    const invitation = await ask('POST', '/api/invitations', admin.token, invited);
    await ask('DELETE', `/api/invitations/${invitation.id}`, admin.token);
    const events = await store.read(readEvents, null);
    const kinds = new Set(events.map(({ event }) => event));
    for (const kind of [
      'change_requested',
      'change_withdrawn',
      'changed',
      'change_reverted',
      'verified',
    ] as const)
      assert.ok(kinds.has(`email_${kind}`), kind);
    assert.ok(kinds.has('invitation_created') && kinds.has('invitation_revoked'));
    for (const event of events) assert.ok(!JSON.stringify(event).includes('@'), event.event);
  });
});

/** What else the service gives once: to an account with a second factor, for events, a webhook and a mail. */
async function givenOnce(service: RunningService) {
  const { url } = service;
  const { username, token, secret, recoveryCodes } = await newGuarded(url);
  const admin = await newWithRole(service, 'admin');
  const { ticket } = (await call(url, 'POST', '/api/events/tickets', { token })).body.data;
  const body = { url: 'https://site.example/hook', events: ['content.restored'] };
  const webhook = (await call(url, 'POST', '/api/webhooks', { token: admin.token, body })).body.data.secret;
  const challenge = await challengeOf(url, username);
  const { token: link } = await newResetLink(service);
  return { link, secret, recoveryCode: recoveryCodes[0] ?? '', ticket, webhook, challenge };
}

/** The service with a store that the test may take away from it. */
async function assemble(t: TestContext, engine: TestEngine) {
  const config = readConfig({ PORT: '0', ...(await engine.settings(t)) });
  const store = await openStore(config.database, { patience: PATIENCE });
  const log: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) });
  const app = await buildApp({ config, store, hashing: cheapHashing, logger });
  t.after(() => app.close());
  return { app, store, log };
}

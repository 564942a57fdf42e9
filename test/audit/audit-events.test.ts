import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { confirmEmailChange } from '../../src/addresses/confirm-change.ts';
import { requestEmailChange } from '../../src/addresses/request-change.ts';
import { repair } from '../../src/cli/repair.ts';
import { exportUsers } from '../../src/cli/users-export.ts';
import { importUsers } from '../../src/cli/users-import.ts';
import { readConfig } from '../../src/config.ts';
import { resetSecondFactors } from '../../src/factors/reset.ts';
import { EVENTS } from '../../src/services/audit/events.ts';
import { newKeyText, parseKey } from '../../src/services/sealing/key.ts';
import { generateKey } from '../../src/sessions/keys.ts';
import { listSigningKeys, revokeSigningKey } from '../../src/sessions/signing-keys.ts';
import { readOperation } from '../../src/store/operation.ts';
import { SITE } from '../support/authenticator.ts';
import { type Account, call, newAccount, newItem, newName, PASSWORD, refresh } from '../support/client.ts';
import { newTestLink, newUnproven } from '../support/email.ts';
import { type Lifetime, sqlite, temporaryFolder } from '../support/engines.ts';
import { askEveryRoute } from '../support/every-route.ts';
import { NOW } from '../support/good-request.ts';
import { passMinute } from '../support/minutes.ts';
import { logInWith, newPasskey } from '../support/passkeys.ts';
import { execOn } from '../support/place.ts';
import { startReceiver } from '../support/receiver.ts';
import { challengeOf, complete, newGuarded, signInWith } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const SETTINGS = { SMTP_URL: 'log', PUBLIC_URL: SITE.origin, WEBHOOK_PRIVATE: 'on' };
const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
/** More mails than the outbox has room for; none of them is due. */
const FULL_OUTBOX = `INSERT INTO mails (id, recipient, template, template_values, made_at, attempts, next_attempt_at, give_up_at)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
  SELECT 'm' || i, 'a@example.org', 'password_changed', '{}', 0, 0, ${NOW * 2}, ${NOW * 2} FROM n`;

const recordedEvents = readOperation('test.recorded_events', (db, _: null) =>
  db.selectFrom('audit_events').select('event').distinct().execute(),
);

it('The page of the audit trail says of every event once what happened, and of no other', async () => {
  const page = await readFile(new URL('../../docs/audit-events.md', import.meta.url), 'utf8');
  const cells = page.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
  assert.deepEqual(named.toSorted(), EVENTS.toSorted());
});

it('Every event of the trail is recorded by what causes it', async (t) => {
  const settings = { ...SETTINGS, ...(await sqlite.settings(t)) };
  const engine = { name: sqlite.name, settings: async () => settings };
  const service = await startService(t, engine, {}, { clock: () => NOW });
  const { store, sealing } = service;
  const admin = await askEveryRoute(service, SETTINGS);
  await failToSignIn(service);
  await useSecondFactors(service);
  await takeAddress(service);
  await administer(service, admin, settings);
  await loseEndpoint(t, service, admin);
  await runCommands(t, settings);
  await execOn(settings, FULL_OUTBOX);
  const { token } = await newAccount(service.url);
  await call(service.url, 'POST', '/api/auth/email/verification', { token });
  const [{ kid } = { kid: '' }] = await store.read(listSigningKeys, null);
  await store.write(revokeSigningKey, { kid, successor: await generateKey(sealing, NOW), now: NOW });
  await sealing.reseal(store, parseKey(newKeyText()), NOW);

  const elapsed = stopwatch();
  const missing = async () => {
    const recorded = (await store.read(recordedEvents, null)).map(({ event }) => String(event));
    return EVENTS.filter((event) => !recorded.includes(event));
  };
  // A job records the removal of an account.
  passMinute();
  while ((await missing()).length > 0 && elapsed() < 10_000) await pause(50);
  assert.deepEqual(await missing(), []);
});

/** With wrong passwords until no more are free, a refresh token that was used before, and a passkey. */
async function failToSignIn({ url }: RunningService): Promise<void> {
  const account = await newAccount(url);
  const { authenticator } = await newPasskey(url, account);
  const refused = await logInWith(url, authenticator.get({ challenge: 'none' }));
  assert.equal(refused.status, 401);
  const next = (await refresh(url, account.refreshToken)).body.data.refresh_token;
  await refresh(url, next);
  assert.equal((await refresh(url, account.refreshToken)).status, 401);
  for (let each = 0; each < 10; each++)
    assert.equal((await signIn(url, account.username, 'almost right')).status, 401);
}

async function useSecondFactors({ url, store }: RunningService): Promise<void> {
  const { username, recoveryCodes } = await newGuarded(url, NOW);
  assert.equal((await complete(url, await challengeOf(url, username), '000000')).status, 401);
  assert.equal((await signInWith(url, username, recoveryCodes[0] ?? '')).status, 200);
  await store.write(resetSecondFactors, { account: username, sendsMail: false, now: NOW });
}

/** An account takes an address that another one never proved. */
async function takeAddress(service: RunningService): Promise<void> {
  const { id: userId, token } = await newAccount(service.url);
  const { email } = await newUnproven(service);
  const [{ link }, { link: undo }] = [newTestLink(service), newTestLink(service)];
  const caller = { userId, sessionId: sessionIdOf(token) };
  await service.store.write(requestEmailChange, { caller, email, link, now: NOW, origin: ORIGIN });
  const change = { tokenHash: link.tokenHash, undo, now: NOW, origin: ORIGIN };
  await service.store.write(confirmEmailChange, change);
}

/** Accounts are exported and imported beside the service, and a total that is wrong is mended. */
async function runCommands(t: Lifetime, settings: Record<string, string>): Promise<void> {
  const [config, file] = [readConfig(settings), join(await temporaryFolder(t), 'users.ndjson')];
  await exportUsers(config, file);
  await importUsers(config, file);
  await execOn(settings, 'UPDATE users_total SET rows = rows + 5');
  assert.deepEqual(
    (await repair(config)).map(({ state }) => state),
    ['done'],
  );
}

/** The endpoint of a webhook says that it is gone. */
async function loseEndpoint(t: Lifetime, { url }: RunningService, { token }: Account): Promise<void> {
  const gone = await startReceiver(t, (response) => response.writeHead(410).end());
  const body = { url: gone.url, events: ['*'] };
  const { id } = (await call(url, 'POST', '/api/webhooks', { token, body })).body.data;
  const tested = await call(url, 'POST', `/api/webhooks/${id}/test`, { token });
  // Another sealing key follows, with which this service cannot sign.
  const isPaused = async () => (await call(url, 'GET', `/api/webhooks/${id}`, { token })).body.data.paused;
  await until(isPaused, 'the webhook is paused');
  // One that is being sent would stay as it is, without an event.
  const again = `/api/webhooks/${id}/deliveries/${tested.body.data.id}/redeliver`;
  assert.equal((await call(url, 'POST', again, { token })).status, 200);
}

async function administer(
  { url }: RunningService,
  { token }: Account,
  settings: Record<string, string>,
): Promise<void> {
  const other = await newAccount(url);
  const ask = async (method: string, path: string, as?: string, body?: object) => {
    const answer = await call(url, method, path, { ...(as && { token: as }), ...(body && { body }) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await ask('PUT', '/api/users/me', other.token, { username: newName() });
  await ask('DELETE', '/api/users/me', other.token);
  await ask('POST', '/api/auth/restore', undefined, { username: other.email, password: PASSWORD });
  // A job finds that the item was changed since its draft was begun.
  const { id } = await newItem(url, token);
  const item = `/api/content/${id}`;
  await ask('PUT', `${item}/draft`, token, { title: 'a draft', publish_at: '2100-01-01T00:00:00Z' });
  await ask('PUT', item, token, { title: 'meanwhile' });
  await execOn(settings, `UPDATE content_drafts SET publish_at = 1 WHERE content_id = ${id}`);
  const path = `/api/users/${other.id}`;
  for (const body of [{ disabled: true }, { disabled: false }, { must_change_password: true }])
    await ask('PUT', path, token, body);
  await ask('DELETE', path, token);
}

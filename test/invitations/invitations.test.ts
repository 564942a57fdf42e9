import assert from 'node:assert/strict';
import { it } from 'node:test';
import { disableAccount, enableAccount, setRole } from '../../src/accounts/administer.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { hashOfToken } from '../../src/domain/token-hash.ts';
import { createInvitation } from '../../src/invitations/create.ts';
import { revokeInvitation } from '../../src/invitations/revoke.ts';
import { acceptInvitation } from '../../src/registrations/accept-invitation.ts';
import { call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { addressOf, askToChange, follow, newTestLink, newUnproven, registerAs } from '../support/email.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { hashed } from '../support/hashed.ts';
import { tokenIn } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { newWithRole } from '../support/people.ts';
import { PLACES } from '../support/place.ts';
import { type RunningService, startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ORIGIN = { address: '127.0.0.1', source: '127.0.0.1', requestId: 'r' };

const newAddress = () => `${newName('new')}@example.org`;

function invite(url: string, token: string, email: string, role = 'member') {
  return call(url, 'POST', '/api/invitations', { token, body: { email, role } });
}

/** Invites, and fails where the invitation was not made: its mail would never come. Returns the invitation. */
async function invited(...request: Parameters<typeof invite>) {
  const { status, body } = await invite(...request);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Registers as the page of the link does. */
function accept(url: string, invitation: string, email: string) {
  const body = { username: newName(), email, password: PASSWORD, invitation };
  return call(url, 'POST', '/api/auth/register', { body });
}

async function newAdmin(service: RunningService) {
  const account = await newUnproven(service, 'admin');
  return { ...account, ...(await login(service.url, account.username)) };
}

onEveryEngine('Invitations', (engine) => {
  let server: MailServer;
  const link = async (email: string) => tokenIn(await server.nextTo(email), 'accept-invitation');

  describeOnService(
    engine,
    'where REGISTRATION is invite',
    (service) => {
      it('An invitation registers one account, with its role and a verified address', async () => {
        const { url } = service();
        const admin = await newAdmin(service());
        const name = newName('new');
        const email = `o'neill!~*${name}@example.org`;
        assertFailure((await registerAs(url, { email })).answer, 403, 'invitation_required');
        const {
          id,
          created_at: _,
          expires_at: __,
          ...shown
        } = await invited(url, admin.token, email, 'editor');
        const invited_by = { id: admin.id, username: admin.username };
        assert.deepEqual(shown, { email, role: 'editor', invited_by });
        const mail = await server.nextTo(email);
        assert.equal(mail.subject, 'You are invited');
        assert.ok(mail.text.includes(`${admin.username} invites you to https://stoa.example.`), mail.text);
        const token = tokenIn(mail, 'accept-invitation');
        // Some mail programs end a link at these signs.
        const named = `#token=${token}&email=o%27neill%21%7E%2A${name}%40example.org\n`;
        assert.ok(mail.text.includes(named), mail.text);
        assert.equal((await fetch(`${url}/accept-invitation#token=${token}`)).status, 200);

        const made = await accept(url, token, email.toUpperCase());
        assert.deepEqual([made.status, made.body.data.email], [200, email]);
        const own = await login(url, made.body.data.username);
        assert.deepEqual(await addressOf(url, own.token), [email, true]);
        const me = await call(url, 'GET', '/api/users/me', { token: own.token });
        assert.equal(me.body.data.role, 'editor');
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
        const trail = await call(url, 'GET', `/api/audit?account=${made.body.data.id}&event=registered`, {
          token: admin.token,
        });
        assert.deepEqual(trail.body.data.items[0].detail, { invitation: String(id) });
      });

      it('An invitation is for its address only, and stays valid after a failed use', async () => {
        const { url } = service();
        const admin = await newAdmin(service());
        const email = newAddress();
        await invited(url, admin.token, email);
        const token = await link(email);
        const other = await accept(url, token, newAddress());
        assertFailure(other, 400, 'validation_failed', { field: 'email', rule: 'invitation' });
        const body = { username: admin.username, email, password: PASSWORD, invitation: token };
        assertFailure(await call(url, 'POST', '/api/auth/register', { body }), 400, 'taken');
        assertFailure(await accept(url, `${token}x`, email), 400, 'link_invalid');
        assert.equal((await accept(url, token, email)).status, 200);
      });

      it('An invitation replaces an earlier one, is revoked by any admin, and is for no existing account', async () => {
        const { url } = service();
        const [admin, other] = [await newAdmin(service()), await newAdmin(service())];
        const email = newAddress();
        await invited(url, admin.token, email, 'editor');
        const made = await invited(url, admin.token, email.toUpperCase());
        const [first, second] = [await link(email), await link(email)];
        const mine = async () => {
          const list = await call(url, 'GET', '/api/invitations?per_page=100', { token: other.token });
          return list.body.data.items.filter((item: { email: string }) => item.email === email.toUpperCase());
        };
        assert.deepEqual(await mine(), [made]);
        const path = `/api/invitations/${made.id}`;
        assert.equal((await call(url, 'DELETE', path, { token: other.token })).status, 200);
        assertFailure(await call(url, 'DELETE', path, { token: other.token }), 404, 'not_found');
        assert.deepEqual(await mine(), []);
        const trail = await call(url, 'GET', '/api/audit?event=invitation_revoked', { token: other.token });
        assert.deepEqual(
          trail.body.data.items.map(({ actor, detail }: Record<string, unknown>) => [actor, detail]),
          [[{ id: other.id, username: other.username }, { invitation: String(made.id) }]],
        );
        for (const token of [first, second])
          assertFailure(await accept(url, token, email), 400, 'link_invalid');
        const taken = await invite(url, admin.token, other.email.toUpperCase());
        assertFailure(taken, 400, 'taken', { field: 'email' });
      });

      it('One mailbox gets five invitations at once, however its address is spelled', async () => {
        const { url } = service();
        const { token } = await newAdmin(service());
        const address = newAddress();
        const spelt = (each: number) => address.slice(0, each).toUpperCase() + address.slice(each);
        const seen: number[] = [];
        for (let each = 0; each < 6; each++) seen.push((await invite(url, token, spelt(each))).status);
        assert.deepEqual(seen, [200, 200, 200, 200, 200, 429]);
      });

      it('An invitation stays valid when the admin who made it changes their password', async () => {
        const { url } = service();
        const admin = await newAdmin(service());
        const email = newAddress();
        assert.equal((await invite(url, admin.token, email)).status, 200);
        const token = await link(email);
        const passwords = { current_password: PASSWORD, new_password: 'a better horse battery' };
        const changed = await call(url, 'POST', '/api/auth/password', {
          token: admin.token,
          body: passwords,
        });
        assert.equal(changed.status, 200, JSON.stringify(changed.body));
        assert.equal((await accept(url, token, email)).status, 200);
      });

      it('An invitation ends when the admin who made it is disabled, and stays so when they are enabled', async () => {
        const { url, store } = service();
        const [admin, reader] = [await newAdmin(service()), await newAdmin(service())];
        const email = newAddress();
        await invited(url, admin.token, email);
        const token = await link(email);
        const isListed = async () => {
          const list = await call(url, 'GET', '/api/invitations?per_page=100', { token: reader.token });
          return list.body.data.items.some((item: { email: string }) => item.email === email);
        };
        assert.equal(await isListed(), true);
        await store.write(disableAccount, { account: admin.username, now: Date.now() });
        assert.equal(await isListed(), false);
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
        await store.write(enableAccount, { account: admin.username, now: Date.now() });
        assert.equal(await isListed(), false);
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
      });

      it('An invitation ends when its maker closes the account, and stays so when it is restored', async () => {
        const { url } = service();
        const [admin] = [await newAdmin(service()), await newAdmin(service())];
        const email = newAddress();
        await invited(url, admin.token, email);
        const token = await link(email);
        assert.equal((await call(url, 'DELETE', '/api/users/me', { token: admin.token })).status, 200);
        const body = { username: admin.username, password: PASSWORD };
        assert.equal((await call(url, 'POST', '/api/auth/restore', { body })).status, 200);
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
      });

      it('An invitation ends when an admin demands a new password of its maker, who may be a thief', async () => {
        const { url } = service();
        const [admin, other] = [await newAdmin(service()), await newAdmin(service())];
        const email = newAddress();
        await invited(url, admin.token, email);
        const token = await link(email);
        const body = { must_change_password: true };
        const demanded = await call(url, 'PUT', `/api/users/${admin.id}`, { token: other.token, body });
        assert.equal(demanded.status, 200, JSON.stringify(demanded.body));
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
      });

      it('An invitation ends when its maker undoes a change of the address', async () => {
        const { url } = service();
        const admin = await newAdmin(service());
        const [email, next] = [newAddress(), newAddress()];
        await invited(url, admin.token, email);
        const token = await link(email);
        await askToChange(url, admin.token, next);
        const confirm = tokenIn(await server.nextTo(next), 'confirm-email');
        assert.equal((await follow(url, 'confirm', confirm)).status, 200);
        const undo = tokenIn(await server.nextTo(admin.email), 'revert-email');
        assert.equal((await follow(url, 'revert', undo)).status, 200);
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
      });

      it('An invitation ends when its admin is demoted, and a demoted admin makes none', async () => {
        const { url, store, sealing } = service();
        const admin = await newAdmin(service());
        await newAdmin(service());
        const email = newAddress();
        const made = await invited(url, admin.token, email, 'admin');
        const token = await link(email);
        await store.write(setRole, { account: admin.username, role: 'member', now: Date.now() });
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
        const reader = await newAdmin(service());
        const list = await call(url, 'GET', '/api/invitations?per_page=100', { token: reader.token });
        assert.ok(!list.body.data.items.some(({ id }: { id: number }) => id === made.id));
        const { link: unsent } = newTestLink({ sealing });
        const caller = { userId: admin.id, sessionId: sessionIdOf(admin.token) };
        const input = { email: newAddress(), role: 'member', link: unsent, caller, origin: ORIGIN } as const;
        await assert.rejects(store.write(createInvitation, { ...input, now: Date.now() }), {
          message: 'Only the role "admin" may do this.',
        });
        await store.write(setRole, { account: admin.username, role: 'admin', now: Date.now() });
        assertFailure(await accept(url, token, email), 400, 'link_invalid');
      });

      it('An invitation whose maker loses the role while it is accepted makes no account', async () => {
        const { url, store } = service();
        const admin = await newAdmin(service());
        await newAdmin(service());
        const email = newAddress();
        await invited(url, admin.token, email, 'admin');
        const tokenHash = hashOfToken(await link(email));
        await store.write(setRole, { account: admin.username, role: 'member', now: Date.now() });
        const account = { username: newName(), email, passwordHash: hashed(PASSWORD), given: {} };
        const acceptance = { ...account, tokenHash, now: Date.now(), origin: ORIGIN };
        await assert.rejects(store.write(acceptInvitation, acceptance), /This link was used already/);
      });

      it('An address that folds to that of an account is not invited', async () => {
        const { url, store } = service();
        const admin = await newAdmin(service());
        const username = newName();
        await store.write(createAccount, { ...ADA, username, email: `${username}@strasse.example` });
        const taken = await invite(url, admin.token, `${username}@STRAßE.example`);
        assertFailure(taken, 400, 'taken', { field: 'email' });
      });

      it('An admin who loses the role while the request is on its way takes no invitation back', async () => {
        const { url, store } = service();
        const [admin, other] = [await newAdmin(service()), await newAdmin(service())];
        const { id } = await invited(url, admin.token, newAddress());
        await store.write(setRole, { account: other.username, role: 'editor', now: Date.now() });
        const caller = { userId: other.id, sessionId: sessionIdOf(other.token) };
        const revocation = { id, caller, origin: ORIGIN, now: Date.now() };
        await assert.rejects(store.write(revokeInvitation, revocation), {
          message: 'Only the role "admin" may do this.',
        });
      });
    },
    async (t) => {
      server = await startMailServer(t);
      return { ...server.settings, REGISTRATION: 'invite' };
    },
  );

  it('An invitation lasts seven days, and needs a recent sign-in to be made', async (t) => {
    const mails = await startMailServer(t);
    const service = await startService(t, engine, mails.settings, { clock: () => NOW });
    const { url, passTime } = service;
    const admin = await newWithRole(service, 'admin');
    const [last, late] = [newAddress(), newAddress()];
    passTime(10 * MINUTE - 1);
    assert.equal((await invite(url, admin.token, last, 'admin')).status, 200);
    passTime(1);
    assertFailure(await invite(url, admin.token, newAddress(), 'member'), 403, 'recent_sign_in_required');
    const { token: recent } = await login(url, admin.username);
    assert.equal((await invite(url, recent, late, 'editor')).status, 200);
    const token = async (email: string) => tokenIn(await mails.nextTo(email), 'accept-invitation');
    const [first, second] = [await token(last), await token(late)];
    passTime(7 * DAY - 2);
    assert.equal((await accept(url, first, last)).status, 200);
    passTime(2);
    assertFailure(await accept(url, second, late), 400, 'link_invalid');
  });

  it('An invitation waits in vain where REGISTRATION is closed, and a pending registration also where it is invite', async (t) => {
    const mails = await startMailServer(t);
    const database = await sameDatabase(t, engine);
    const settings = { ...mails.settings, EMAIL_VERIFICATION: 'required' };
    const open = await startService(t, database, settings);
    const admin = await newUnproven(open, 'admin');
    await call(open.url, 'POST', '/api/auth/login', {
      body: { username: admin.username, password: PASSWORD },
    });
    await follow(open.url, 'verify', tokenIn(await mails.nextTo(admin.email), 'verify-email'));
    const { token } = await login(open.url, admin.username);
    const address = newAddress();
    await invited(open.url, token, address);
    const invitation = tokenIn(await mails.nextTo(address), 'accept-invitation');
    const waiting = await registerAs(open.url);
    const proof = tokenIn(await mails.nextTo(waiting.email), 'verify-email');
    await open.stop();

    const body = { username: newName(), email: waiting.email };
    const resend = (url: string) => call(url, 'POST', '/api/auth/register/resend', { body });
    const closed = await startService(t, database, { ...settings, REGISTRATION: 'closed' });
    assertFailure((await registerAs(closed.url)).answer, 403, 'registration_closed');
    assertFailure(await resend(closed.url), 403, 'registration_closed');
    assertFailure(await accept(closed.url, invitation, address), 403, 'registration_closed');
    assertFailure(await follow(closed.url, 'verify', proof), 400, 'link_invalid');
    const again = await login(closed.url, admin.username);
    assertFailure(await invite(closed.url, again.token, newAddress()), 403, 'registration_closed');
    await closed.stop();

    const { url } = await startService(t, database, { ...settings, REGISTRATION: 'invite' });
    assertFailure((await registerAs(url)).answer, 403, 'invitation_required');
    assertFailure(await resend(url), 403, 'invitation_required');
    assertFailure(await follow(url, 'verify', proof), 400, 'link_invalid');
    assert.equal((await accept(url, invitation, address)).status, 200);
  });
});

for (const { name, newPlace } of PLACES)
  it(`Open invitations are 500 of one admin at most, and 5,000 in all, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const on = { name, settings: async () => ({ DATABASE_URL: place.url }) };
    const service = await startService(t, on, { SMTP_URL: 'log' });
    const { url } = service;
    const [admin, other] = [await newWithRole(service, 'admin'), await newWithRole(service, 'admin')];
    const { id } = await newAccount(url);
    const fill = (by: number, count: number) =>
      place.sql(`INSERT INTO links (token_hash, purpose, email, email_key, user_id, carries, expires_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        SELECT '${by}-' || i, 'invite', 'a', '${by}-' || i, ${by}, '{}', ${Date.now() + DAY} FROM n`);
    await fill(admin.id, 499);
    const last = newAddress();
    assert.equal((await invite(url, admin.token, last)).status, 200);
    assertFailure(await invite(url, admin.token, newAddress()), 400, 'limit_reached');
    assert.equal((await invite(url, admin.token, last)).status, 200, 'in the place of the first');
    await fill(id, 4_499);
    assert.equal((await invite(url, other.token, newAddress())).status, 200);
    assertFailure(await invite(url, other.token, newAddress()), 400, 'limit_reached');
  });

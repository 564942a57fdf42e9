import assert from 'node:assert/strict';
import { it } from 'node:test';
import { disableAccount, enableAccount } from '../../src/accounts/administer.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { listEvents } from '../../src/audit/list.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { type Account, call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { addressOf, askToChange, follow, registerAs } from '../support/email.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { hashed } from '../support/hashed.ts';
import { forget, mailServerOfSuite, reset, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { newPasskey, passkeyLogin } from '../support/passkeys.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { PLACES } from '../support/place.ts';
import { guard, newGuarded, STEP, signInWith } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { describeInTurn, describeOnService, type InTurn } from '../support/suite.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OTHER = 'a better horse battery';

const me = async (url: string, token: string) =>
  (await call(url, 'GET', '/api/users/me', { token })).body.data;

// Two domains, of which each may have an owner of its own.
const atStrasse = () => ({ email: `${newName()}@strasse.example` });
const sharp = (email: string) => email.replace('strasse', 'straße');

const newAddress = () => `${newName('new')}@example.org`;

onEveryEngine('A change of the e-mail address', (engine) => {
  const { server, settings } = mailServerOfSuite();
  const link = async (email: string, page: 'confirm-email' | 'revert-email') =>
    tokenIn(await server().nextTo(email), page);
  /** Changes the address and returns the link that takes it back. */
  const change = async (url: string, token: string, [from, to]: [string, string]) => {
    await askToChange(url, token, to);
    assert.equal((await follow(url, 'confirm', await link(to, 'confirm-email'))).status, 200);
    return link(from, 'revert-email');
  };

  const inTurn = (service: () => InTurn) => {
    it('A change needs a sign-in of the last ten minutes, its link lasts a day, and its undo link seven', async () => {
      const { url, passTime } = service();
      const confirm = (email: string) => link(email, 'confirm-email');
      const [one, other] = [await newAccount(url), await newAccount(url)];
      const [first, second] = [newAddress(), newAddress()];
      passTime(10 * MINUTE - 1);
      await askToChange(url, one.token, first);
      await askToChange(url, other.token, second);
      passTime(1);
      const body = { email: newAddress() };
      const late = await call(url, 'POST', '/api/auth/email', { token: one.token, body });
      assertFailure(late, 403, 'recent_sign_in_required');
      passTime(DAY - 2);
      const { token } = await login(url, other.username);
      assert.equal((await me(url, token)).pending_email_change.email, second);
      assert.equal((await follow(url, 'confirm', await confirm(first))).status, 200);
      const wayBack = await link(one.email, 'revert-email');
      passTime(1);
      assert.equal((await me(url, token)).pending_email_change, undefined);
      assertFailure(await follow(url, 'confirm', await confirm(second)), 400, 'link_invalid');
      passTime(7 * DAY - 2);
      assertFailure((await registerAs(url, { email: one.email })).answer, 400, 'taken');
      passTime(1);
      assertFailure(await follow(url, 'revert', wayBack), 400, 'link_invalid');
      assert.equal((await registerAs(url, { email: one.email })).answer.status, 200);
    });

    it('The use of an earlier undo link ends the later ones, also of an instance whose clock is behind', async () => {
      const { url, passTime } = service();
      const { email, token } = await newAccount(url);
      const [second, third] = [newAddress(), newAddress()];
      const own = await change(url, token, [email, second]);
      passTime(-10_000);
      const thiefs = await change(url, token, [second, third]);
      assert.equal((await follow(url, 'revert', own)).status, 200);
      assertFailure(await follow(url, 'revert', thiefs), 400, 'link_invalid');
    });

    it('The undo link removes second factors that are less than a week old, and keeps older ones', async () => {
      const { url, now, passTime } = service();
      const [own, thief] = [await newGuarded(url, now()), await newAccount(url)];
      const week = (7 * DAY) / STEP;
      const told = async ({ email }: Account) =>
        assert.match((await server().nextTo(email)).subject, /^An authenticator app was turned on/);
      const back = async ({ username, email }: Account, code?: string) => {
        const signedIn =
          code === undefined ? await signIn(url, username) : await signInWith(url, username, code);
        const { token } = signedIn.body.data;
        const wayBack = await change(url, token, [email, newAddress()]);
        assert.equal((await follow(url, 'revert', wayBack)).status, 200);
        assert.equal((await reset(url, tokenIn(await server().nextTo(email)), OTHER)).status, 200);
      };
      // Before the mail is too old to be sent.
      await told(own);
      passTime(7 * DAY + 1);
      await back(own, own.code(week));
      assertFailure(await signIn(url, own.username, OTHER), 401, 'second_factor_required');
      const { token } = await login(url, thief.username);
      const guarded = await guard(url, { ...thief, token }, now() + STEP);
      await told(thief);
      await back(guarded, guarded.code());
      assert.equal((await signIn(url, thief.username, OTHER)).status, 200);
    });

    it('The undo of a change leaves the passkeys that were there a week before the change', async () => {
      const { url, passTime } = service();
      const account = await newAccount(url);
      const { email, username } = account;
      const { authenticator } = await newPasskey(url, account);
      assert.equal((await server().nextTo(email)).subject, 'A passkey was added to your account');
      passTime(7 * DAY + 1);
      const { token } = (await passkeyLogin(url, authenticator)).body.data;
      const undo = await change(url, token, [email, newAddress()]);
      assert.equal((await follow(url, 'revert', undo)).status, 200);
      assert.equal((await reset(url, tokenIn(await server().nextTo(email)), OTHER)).status, 200);
      assertFailure(await signIn(url, username, OTHER), 401, 'second_factor_required');
    });
  };
  describeInTurn(engine, 'over days', inTurn, settings);

  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('The mailed link changes the address and ends all other links, and the old address is notified', async () => {
        const { url } = service();
        const { username, email, token } = await newAccount(url);
        const [next, other] = [newAddress(), newAddress()];
        await askToChange(url, token, other);
        await askToChange(url, token, next);
        await forget(url, email);
        const [mailed, unused] = [await link(next, 'confirm-email'), await link(other, 'confirm-email')];
        const password = tokenIn(await server().nextTo(email));
        assert.equal((await fetch(`${url}/confirm-email#token=${mailed}`)).status, 200);
        assert.deepEqual(
          await addressOf(url, token),
          [email, false],
          'whoever opens the page changes nothing',
        );
        for (const what of ['verify', 'revert'] as const)
          assertFailure(await follow(url, what, mailed), 400, 'link_invalid');

        assert.equal((await follow(url, 'confirm', mailed)).status, 200);
        assert.deepEqual(await addressOf(url, token), [next, true]);
        assert.deepEqual([(await signIn(url, next)).status, (await signIn(url, email)).status], [200, 401]);
        const told = await server().nextTo(email);
        assert.equal(told.subject, 'Your e-mail address was changed');
        assert.ok(told.text.startsWith(`Hello ${username},\n`));
        for (const each of [mailed, unused])
          assertFailure(await follow(url, 'confirm', each), 400, 'link_invalid');
        assertFailure(await reset(url, password, OTHER), 400, 'link_invalid');
      });

      it('A pending change is shown to its owner, and ends when withdrawn or replaced', async () => {
        const { url, store } = service();
        const { id, token } = await newAccount(url);
        const [first, second] = [newAddress(), newAddress()];
        const waiting = async () => (await me(url, token)).pending_email_change;
        const withdraw = () => call(url, 'DELETE', '/api/auth/email/change', { token });
        assert.equal(await waiting(), undefined);
        assertFailure(await withdraw(), 404, 'not_found');

        await askToChange(url, token, first);
        const mailed = await link(first, 'confirm-email');
        const { email, expires_at } = await waiting();
        assert.equal(email, first);
        const left = Date.parse(expires_at) - Date.now();
        assert.ok(left > DAY - MINUTE && left <= DAY, expires_at);
        await askToChange(url, token, second);
        assert.equal((await waiting()).email, second);
        assertFailure(await follow(url, 'confirm', mailed), 400, 'link_invalid');

        assert.equal((await withdraw()).status, 200);
        assert.equal(await waiting(), undefined);
        const unused = await link(second, 'confirm-email');
        assertFailure(await follow(url, 'confirm', unused), 400, 'link_invalid');
        assertFailure(await withdraw(), 404, 'not_found');
        const { items } = await store.read(listEvents, { page: 1, per_page: 1, account: id });
        assert.equal(items[0]?.event, 'email_change_withdrawn');
      });

      it('A pending change is shown only to its owner, and of several at once one remains', async () => {
        const { url } = service();
        const [{ token, username }, other] = [await newAccount(url), await newAccount(url)];
        const asked = [newAddress(), newAddress(), newAddress()];
        await Promise.all(asked.map((email) => askToChange(url, token, email)));
        const links = await Promise.all(asked.map((email) => link(email, 'confirm-email')));
        const { email } = (await me(url, token)).pending_email_change;
        assert.equal((await me(url, other.token)).pending_email_change, undefined);
        const list = await call(url, 'GET', `/api/users?keyword=${username}`, { token: other.token });
        assert.ok(!JSON.stringify(list.body).includes(email));
        const good = links[asked.indexOf(email)] ?? '';
        for (const each of links)
          if (each !== good) assertFailure(await follow(url, 'confirm', each), 400, 'link_invalid');
        assert.equal((await follow(url, 'confirm', good)).status, 200);
        assert.equal((await me(url, token)).pending_email_change, undefined);
      });

      it('A pending change is mailed five times in all when its owner asks, and the first link stays valid', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const next = newAddress();
        const again = () => call(url, 'POST', '/api/auth/email/change/resend', { token });
        assertFailure(await again(), 404, 'not_found');
        await askToChange(url, token, next);
        const first = await link(next, 'confirm-email');
        for (let each = 0; each < 4; each++) assert.equal((await again()).status, 200);
        const second = await link(next, 'confirm-email');
        assert.notEqual(second, first);
        assertFailure(await again(), 429, 'too_many_requests');
        assert.equal((await follow(url, 'confirm', first)).status, 200);
        assertFailure(await follow(url, 'confirm', second), 400, 'link_invalid');
        assert.deepEqual(await addressOf(url, token), [next, true]);
      });

      it('The undo link takes a change back and ends all sessions, tokens, links and the password', async () => {
        const { url } = service();
        const { username, email, token, refreshToken } = await newAccount(url);
        const key = await newPersonalToken(url, { token });
        assert.match((await server().nextTo(email)).subject, /^A personal access token was made/);
        const [stolen, later] = [newAddress(), newAddress()];
        const wayBack = await change(url, token, [email, stolen]);
        await askToChange(url, token, later);
        const pending = await link(later, 'confirm-email');
        assert.equal((await fetch(`${url}/revert-email#token=${wayBack}`)).status, 200);
        assert.equal((await addressOf(url, token))[0], stolen, 'whoever opens the page changes nothing');

        assert.equal((await follow(url, 'revert', wayBack)).status, 200);
        for (const old of [token, key])
          assertFailure(await call(url, 'GET', '/api/users/me', { token: old }), 401, 'token_revoked');
        assertFailure(
          await call(url, 'POST', '/api/auth/refresh', { token: refreshToken }),
          401,
          'token_revoked',
        );
        assertFailure(await signIn(url, username, PASSWORD), 401, 'bad_credentials');
        assertFailure(await follow(url, 'confirm', pending), 400, 'link_invalid');
        assertFailure(await follow(url, 'revert', wayBack), 400, 'link_invalid');
        assert.equal((await reset(url, tokenIn(await server().nextTo(email)), OTHER)).status, 200);
        assert.deepEqual(await addressOf(url, (await login(url, username, OTHER)).token), [email, true]);
      });

      it('A pending change ends when the account is disabled, and its undo link works after it is enabled', async () => {
        const { url, store } = service();
        const { username, email, token } = await newAccount(url);
        const [stolen, later] = [newAddress(), newAddress()];
        const wayBack = await change(url, token, [email, stolen]);
        await askToChange(url, token, later);
        const pending = await link(later, 'confirm-email');
        await store.write(disableAccount, { account: username, now: Date.now() });
        assertFailure(await follow(url, 'revert', wayBack), 400, 'link_invalid');
        await store.write(enableAccount, { account: username, now: Date.now() });
        assertFailure(await follow(url, 'confirm', pending), 400, 'link_invalid');
        assert.equal((await follow(url, 'revert', wayBack)).status, 200);
      });

      it('The owner takes back two changes by a thief, whatever the thief took back before', async () => {
        const { url } = service();
        const { username, email, token } = await newAccount(url);
        const [second, third] = [newAddress(), newAddress()];
        const own = await change(url, token, [email, second]);
        const thiefs = await change(url, token, [second, third]);
        assert.equal((await follow(url, 'revert', thiefs)).status, 200);
        const thief = tokenIn(await server().nextTo(second));
        assert.equal((await follow(url, 'revert', own)).status, 200);
        assertFailure(await reset(url, thief, 'the password of a thief'), 400, 'link_invalid');
        assert.equal((await reset(url, tokenIn(await server().nextTo(email)), OTHER)).status, 200);
        assert.equal((await addressOf(url, (await login(url, username, OTHER)).token))[0], email);
      });

      it('The use of an earlier undo link ends the later ones', async () => {
        const { url } = service();
        const { email, token } = await newAccount(url);
        const [second, third] = [newAddress(), newAddress()];
        const own = await change(url, token, [email, second]);
        const thiefs = await change(url, token, [second, third]);
        assert.equal((await follow(url, 'revert', own)).status, 200);
        assertFailure(await follow(url, 'revert', thiefs), 400, 'link_invalid');
        assert.equal((await signIn(url, third)).status, 401);
      });

      it('A change takes over an address that another account never verified, and ends the links mailed there', async () => {
        const { url } = service();
        const [{ token, email }, other] = [await newAccount(url), await newAccount(url)];
        const changed = newAddress();
        await forget(url, other.email);
        const resetLink = tokenIn(await server().nextTo(other.email));
        await askToChange(url, token, other.email.toUpperCase());
        const mailed = await link(other.email.toUpperCase(), 'confirm-email');
        assert.equal((await follow(url, 'confirm', mailed)).status, 200);
        await server().nextTo(email);
        assert.deepEqual(await addressOf(url, token), [other.email.toUpperCase(), true]);

        const [none, isVerified] = await addressOf(url, other.token);
        assert.match(none, /^[0-9a-f]{16}@address\.invalid$/);
        assert.equal(isVerified, false);
        assertFailure(await reset(url, resetLink, OTHER), 400, 'link_invalid');
        assert.equal((await signIn(url, other.username)).status, 200);
        const { items } = (await call(url, 'GET', '/api/auth/events?event=email_lost', other)).body.data;
        assert.deepEqual(
          items.map(({ at: _, id: __, times: ___, ...event }: Record<string, unknown>) => event),
          [{ event: 'email_lost', by: 'somebody_else', detail: {} }],
        );
        await askToChange(url, other.token, changed);
        assert.equal((await follow(url, 'confirm', await link(changed, 'confirm-email'))).status, 200);
        assert.deepEqual(await addressOf(url, other.token), [changed, true]);
      });

      it('A change to an address that another account has verified is refused when its link is used', async () => {
        const { url } = service();
        const [{ token, email }, other] = [await newAccount(url), await newAccount(url)];
        await call(url, 'POST', '/api/auth/email/verification', { token: other.token });
        const proof = tokenIn(await server().nextTo(other.email), 'verify-email');
        assert.equal((await follow(url, 'verify', proof)).status, 200);
        await askToChange(url, token, other.email.toUpperCase());
        const mailed = await link(other.email, 'confirm-email');
        assertFailure(await follow(url, 'confirm', mailed), 400, 'taken', { field: 'email' });
        assert.equal((await addressOf(url, token))[0], email);
        assert.equal((await addressOf(url, other.token))[0], other.email);
        const own = await call(url, 'POST', '/api/auth/email', { token, body: { email } });
        assertFailure(own, 400, 'validation_failed', { field: 'email', rule: 'new' });
      });

      it('The proof of a mailbox takes no address that folds to the same but may be of another person', async () => {
        const { url } = service();
        const [{ token }, other] = [await newAccount(url), await registerAs(url, atStrasse())];
        await askToChange(url, token, sharp(other.email));
        const mailed = await link(sharp(other.email), 'confirm-email');
        assertFailure(await follow(url, 'confirm', mailed), 400, 'taken', { field: 'email' });
        assert.deepEqual(await addressOf(url, (await login(url, other.email)).token), [other.email, false]);
      });

      it('The proof of a mailbox that folds to a changed address does not stop the undo of the change', async () => {
        const { url } = service();
        const [owner, thief] = [await registerAs(url, atStrasse()), await newAccount(url)];
        const { token } = await login(url, owner.username);
        const undo = await change(url, token, [owner.email, newAddress()]);
        await askToChange(url, thief.token, sharp(owner.email));
        const mailed = await link(sharp(owner.email), 'confirm-email');
        assertFailure(await follow(url, 'confirm', mailed), 400, 'taken', { field: 'email' });
        assert.equal((await follow(url, 'revert', undo)).status, 200);
      });

      it('A new account proves a changed address only by the same mailbox while the change can be undone', async () => {
        const { url, store } = service();
        const owner = await registerAs(url, atStrasse());
        await change(url, (await login(url, owner.username)).token, [owner.email, newAddress()]);
        const invited = { username: newName(), passwordHash: hashed(PASSWORD), role: 'member' } as const;
        const make = (email: string) =>
          store.write(createAccount, {
            ...invited,
            email,
            emailVerifiedAt: 1,
            now: Date.now(),
            origin: null,
          });
        await assert.rejects(make(sharp(owner.email)), /An account with this e-mail address exists/);
        await make(owner.email.toUpperCase());
      });

      it('The old address cannot be registered while its change can be taken back', async () => {
        const { url } = service();
        const { email, token } = await newAccount(url);
        const wayBack = await change(url, token, [email, newAddress()]);
        const { answer } = await registerAs(url, { email: email.toUpperCase() });
        assertFailure(answer, 400, 'taken', { field: 'email' });
        assert.equal((await follow(url, 'revert', wayBack)).status, 200);
      });

      it('An account that proves its own address in another case has lost it to nobody', async () => {
        const { url } = service();
        const { email, token } = await newAccount(url);
        const next = email.toUpperCase();
        await askToChange(url, token, next);
        assert.equal((await follow(url, 'confirm', await link(next, 'confirm-email'))).status, 200);
        assert.deepEqual(await addressOf(url, token), [next, true]);
        const events = await call(url, 'GET', '/api/auth/events?event=email_lost', { token });
        assert.equal(events.body.data.total, 0);
      });

      it('An address that an admin gives an account ends the undo links of its earlier changes', async () => {
        const { url } = service();
        const [admin, { id, email, token }] = [await newWithRole(service(), 'admin'), await newAccount(url)];
        const undo = await change(url, token, [email, newAddress()]);
        const given = newAddress();
        const body = { email: given };
        const changed = await call(url, 'PUT', `/api/users/${id}`, { token: admin.token, body });
        assert.equal(changed.status, 200, JSON.stringify(changed.body));
        assertFailure(await follow(url, 'revert', undo), 400, 'link_invalid');
        assert.deepEqual(await addressOf(url, token), [given, true]);
      });

      it('A new password ends a pending change of the address', async () => {
        const { url } = service();
        const { username, email, token } = await newAccount(url);
        const next = newAddress();
        await askToChange(url, token, next);
        const body = { current_password: PASSWORD, new_password: OTHER };
        assert.equal((await call(url, 'POST', '/api/auth/password', { token, body })).status, 200);
        assertFailure(await follow(url, 'confirm', await link(next, 'confirm-email')), 400, 'link_invalid');
        assert.deepEqual(await addressOf(url, (await login(url, username, OTHER)).token), [email, false]);
      });

      it('Mails of one change that are asked for again use up no further change', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        await askToChange(url, token, newAddress());
        for (let each = 0; each < 4; each++)
          assert.equal((await call(url, 'POST', '/api/auth/email/change/resend', { token })).status, 200);
        await askToChange(url, token, newAddress());
      });

      it('A change of the address may be asked for five times, and not by a session that has ended', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        for (let each = 0; each < 5; each++) await askToChange(url, token, newAddress());
        const ask = () => call(url, 'POST', '/api/auth/email', { token, body: { email: newAddress() } });
        assertFailure(await ask(), 429, 'too_many_requests');
        await call(url, 'POST', '/api/auth/logout', { token });
        assertFailure(await ask(), 401, 'token_revoked');
      });
    },
    settings,
  );
});

for (const { name, newPlace } of PLACES)
  it(`A change of the address is refused when the old address cannot be notified, on ${name}`, async (t) => {
    const [place, mails] = [await newPlace(t), await startMailServer(t)];
    const on = { name, settings: async () => ({ DATABASE_URL: place.url }) };
    const { url } = await startService(t, on, mails.settings);
    const { email, token } = await newAccount(url);
    const next = newAddress();
    await askToChange(url, token, next);
    const full = keyOf('mail', ['email_changed', email]);
    await place.sql(`INSERT INTO guess_debts VALUES ('${full}', ${Date.now() + 2 * HOUR})`);
    const mailed = tokenIn(await mails.nextTo(next), 'confirm-email');
    assertFailure(await follow(url, 'confirm', mailed), 503, 'busy');
    assert.deepEqual(await addressOf(url, token), [email, false]);
    const spent = keyOf('mail_source', '127.0.0.1');
    await place.sql(
      'DELETE FROM guess_debts',
      'UPDATE users SET email_verified_at = 1',
      `INSERT INTO guess_debts VALUES ('${spent}', ${Date.now() + 2 * HOUR})`,
    );
    assert.equal((await follow(url, 'confirm', mailed)).status, 200);
    assert.deepEqual(await addressOf(url, token), [next, true]);
  });

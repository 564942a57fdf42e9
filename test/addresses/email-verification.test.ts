import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listEvents } from '../../src/audit/list.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { register } from '../../src/registrations/register.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { addressOf, askToChange, follow, newUnproven, registerAs } from '../support/email.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { forget, reset, tokenIn } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { passMinute } from '../support/minutes.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken } from '../support/people.ts';
import { PLACES } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const DAY = 24 * 60 * 60_000;
const OTHER = 'a better horse battery';
/** Operations that a request causes, and no job. */
const OF_REQUESTS = /^(accounts|addresses|links|passwords|registrations)\.(begin|create|find|request)_/;
const REQUIRED = { EMAIL_VERIFICATION: 'required', TRUST_PROXY: '127.0.0.1' };

const linksOf = readOperation('test.links_of', (db, userId: number) =>
  db.selectFrom('links').select('token_hash').where('user_id', '=', userId).execute(),
);
const mailsOf = readOperation('test.mails_of', (db, accountId: number) =>
  db.selectFrom('mails').select('template').where('account_id', '=', accountId).execute(),
);
const pending = readOperation('test.pending_registrations', (db, _: null) =>
  db
    .selectFrom('links')
    .select(['carries', 'email'])
    .where('purpose', '=', 'register')
    .orderBy('expires_at')
    .execute(),
);

onEveryEngine('Registration where EMAIL_VERIFICATION is required', (engine) => {
  let server: MailServer;
  const settings = async (t: Parameters<typeof startMailServer>[0]) => {
    server = await startMailServer(t);
    return { ...server.settings, ...REQUIRED };
  };
  const link = async (email: string) => tokenIn(await server.nextTo(email), 'verify-email');

  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('A registration makes an account with a verified address only when its link is followed', async () => {
        const { url } = service();
        const { username, email, answer } = await registerAs(url);
        const waiting = { status: 'pending', username, email, expires_in: 86_400 };
        assert.deepEqual([answer.status, answer.body], [200, { code: 200, data: waiting }]);
        assertFailure(await signIn(url, username), 401, 'bad_credentials');
        const mail = await server.nextTo(email);
        assert.equal(mail.subject, 'Confirm your e-mail address');
        assert.ok(mail.text.includes(`the user name ${username}.`), mail.text);
        const token = tokenIn(mail, 'verify-email');
        assert.equal((await fetch(`${url}/verify-email#token=${token}`)).status, 200);
        assertFailure(await signIn(url, username), 401, 'bad_credentials');

        const made = await follow(url, 'verify', token);
        assert.deepEqual(
          [made.status, made.body.data.username, made.body.data.email],
          [200, username, email],
        );
        assert.deepEqual(await addressOf(url, (await login(url, username)).token), [email, true]);
        assertFailure(await follow(url, 'verify', token), 400, 'link_invalid');
      });

      it('Of several registrations of one address, the first link that is followed makes the account', async () => {
        const { url } = service();
        const email = `${newName()}@example.org`;
        const stranger = await registerAs(url, { email, password: OTHER });
        const first = await link(email);
        const upper = email.toUpperCase();
        const owner = await registerAs(url, { email: upper });
        const made = await follow(url, 'verify', await link(upper));
        assert.deepEqual([made.status, made.body.data.username], [200, owner.username]);
        assertFailure(await follow(url, 'verify', first), 400, 'link_invalid');
        assertFailure(await signIn(url, email, OTHER), 401, 'bad_credentials');
        assert.equal((await signIn(url, email)).status, 200);
        assert.equal((await registerAs(url, { username: stranger.username })).answer.status, 200);
      });

      it('A registration reserves no name before its link is followed, and a taken name is refused at once', async () => {
        const { url } = service();
        const { username, email } = await registerAs(url);
        const second = await registerAs(url, { username, email: `${newName()}@example.org` });
        assert.equal(second.answer.status, 200);
        assert.equal((await follow(url, 'verify', await link(second.email))).status, 200);
        const late = await follow(url, 'verify', await link(email));
        assertFailure(late, 400, 'taken', { field: 'username' });
        const again = await registerAs(url, { username: username.toUpperCase() });
        assertFailure(again.answer, 400, 'taken', { field: 'username' });
      });

      it('A reserved name is refused at once, and nothing is mailed', async () => {
        const { url } = service();
        const { username, email } = await registerAs(url);
        assert.equal((await follow(url, 'verify', await link(email))).status, 200);
        const { token } = await login(url, username);
        const body = { username: newName() };
        assert.equal((await call(url, 'PUT', '/api/users/me', { token, body })).status, 200);
        const late = await registerAs(url, { username, email: `${newName()}@example.org` });
        assertFailure(late.answer, 400, 'taken', { field: 'username' });
        assert.ok(!server.received.some(({ to }) => to.includes(late.email)));
      });

      it('A name that looks like a taken one is refused at once, and nothing is mailed', async () => {
        const { url } = service();
        const [greek, latin] = ['ραα', 'paa'];
        const first = await registerAs(url, { username: latin, email: `${newName()}@example.org` });
        assert.equal((await follow(url, 'verify', await link(first.email))).status, 200);
        const double = await registerAs(url, { username: greek, email: `${newName()}@example.org` });
        assertFailure(double.answer, 400, 'taken', { field: 'username' });
        assert.ok(!server.received.some(({ to }) => to.includes(double.email)));
      });

      it('A stranger who registers an address again and again does not keep its owner out', async () => {
        const { url } = service();
        const email = `${newName()}@example.org`;
        for (let each = 0; each < 8; each++)
          assert.equal((await registerAs(url, { email }, '203.0.113.66')).answer.status, 200);
        const { username } = await registerAs(url, { email }, '198.51.100.1');
        const mails = await Promise.all(Array.from({ length: 4 }, () => server.nextTo(email)));
        const own = mails.find(({ text }) => text.includes(username));
        assert.ok(own, 'the owner has a mail');
        assert.equal((await follow(url, 'verify', tokenIn(own, 'verify-email'))).status, 200);
        assert.equal((await signIn(url, username)).status, 200);
      });

      it('A pending registration is mailed again to anyone who asks, and its first link stays valid', async () => {
        const { url } = service();
        const { username, email, answer } = await registerAs(url);
        assert.equal(answer.status, 200);
        const first = await link(email);
        const resend = (body: object) => call(url, 'POST', '/api/auth/register/resend', { body });
        assert.deepEqual((await resend({ username, email: email.toUpperCase() })).body.data, {});
        const mail = await server.nextTo(email);
        assert.equal(mail.subject, 'Confirm your e-mail address');
        const second = tokenIn(mail, 'verify-email');
        assert.notEqual(second, first);
        const other = { username: newName(), email };
        for (const body of [other, { username, email: `${newName()}@example.org` }])
          assert.deepEqual((await resend(body)).body, { code: 200, data: {} });
        for (let each = 0; each < 3; each++) assert.equal((await resend({ username, email })).status, 200);
        await server.nextTo(email);
        assert.equal((await follow(url, 'verify', first)).status, 200);
        assert.equal((await signIn(url, username)).status, 200);
        assertFailure(await follow(url, 'verify', second), 400, 'link_invalid');
        assert.equal((await resend({ username, email })).status, 200);
        const mails = server.received.filter(({ to }) => to.includes(email));
        assert.equal(mails.length, 3, 'three mails of one source to one address are free');
      });

      it('A registration that waits with two different passwords is not mailed again', async () => {
        const { url } = service();
        const { username, email } = await registerAs(url);
        await link(email);
        const body = { username, email, password: 'the password of a stranger' };
        assert.equal((await call(url, 'POST', '/api/auth/register', { body })).status, 200);
        await link(email);
        const again = await call(url, 'POST', '/api/auth/register/resend', { body: { username, email } });
        assert.deepEqual(again.body, { code: 200, data: {} });
        const { email: later } = await registerAs(url);
        await link(later);
        assert.equal(server.received.filter(({ to }) => to.includes(email)).length, 2);
      });

      it('An unverified account learns of it only at sign-in, and signs in after it follows the link', async () => {
        const { url } = service();
        const { username, email } = await newUnproven(service());
        assertFailure(await signIn(url, username, OTHER), 401, 'bad_credentials');
        assertFailure(await signIn(url, username), 403, 'email_not_verified');
        assert.equal((await follow(url, 'verify', await link(email))).status, 200);
        assert.deepEqual(await addressOf(url, (await login(url, username)).token), [email, true]);
      });

      it('An account gets five links by its sign-ins, however many there are, and each sign-in leaves an event', async () => {
        const { url, store } = service();
        const { id, username } = await newUnproven(service());
        const messages: (string | undefined)[] = [];
        for (let each = 0; each < 8; each++) {
          const refused = await signIn(url, username);
          assertFailure(refused, 403, 'email_not_verified');
          messages.push(refused.body.message);
        }
        assert.deepEqual(
          messages.map((message) => /follow the link that was mailed to it\.$/.test(message ?? '')),
          [true, true, true, true, true, false, false, false],
        );
        assert.equal((await store.read(linksOf, id)).length, 5);
        const { items } = await store.read(listEvents, { page: 1, per_page: 100, account: id });
        const events = items.map(({ event }) => event).filter((event) => event !== 'registered');
        const [mailed, not] = ['email_verification_requested', 'proof_accepted'];
        assert.deepEqual(events, [not, not, not, mailed, mailed, mailed, mailed, mailed]);
      });

      it('An account whose unproved address another account proved is told at sign-in that it has none, and nothing is mailed', async () => {
        const { url, store } = service();
        const [loser, other] = [await newUnproven(service()), await newUnproven(service())];
        assertFailure(await signIn(url, other.username), 403, 'email_not_verified');
        assert.equal((await follow(url, 'verify', await link(other.email))).status, 200);
        await askToChange(url, (await login(url, other.username)).token, loser.email);
        const mailed = tokenIn(await server.nextTo(loser.email), 'confirm-email');
        assert.equal((await follow(url, 'confirm', mailed)).status, 200);
        const refused = await signIn(url, loser.username);
        assertFailure(refused, 403, 'email_not_verified');
        const message =
          'Your account has no e-mail address any more; ask an admin of this service to give it one.';
        assert.equal(refused.body.message, message);
        assert.deepEqual(await store.read(mailsOf, loser.id), []);
      });

      it('An account that an operator makes signs in at once', async () => {
        const { url, store } = service();
        const hashing = new HashingPool(1);
        const parts = { store, hashing, clock: Date.now, passwordBlocklist: new Set<string>() };
        const username = newName();
        const account = { username, email: `${username}@example.org`, password: OTHER };
        await register(parts, account, null, 'admin').finally(() => hashing.close());
        const { token } = await login(url, username, OTHER);
        assert.deepEqual(await addressOf(url, token), [account.email, true]);
      });

      it('A new password by a mailed link verifies the address, and ends the links that would have', async () => {
        const { url } = service();
        const { username, email } = await newUnproven(service());
        assertFailure(await signIn(url, username), 403, 'email_not_verified');
        const unused = await link(email);
        await forget(url, email);
        assert.equal((await reset(url, tokenIn(await server.nextTo(email)), OTHER)).status, 200);
        const { token } = await login(url, username, OTHER);
        assert.deepEqual(await addressOf(url, token), [email, true]);
        assertFailure(await follow(url, 'verify', unused), 400, 'link_invalid');
      });
    },
    settings,
  );

  it('A registration looks the same where an account has the address, and its owner is notified', async (t) => {
    const mails = await startMailServer(t);
    const seen: string[] = [];
    const before = (name: string) => void (OF_REQUESTS.test(name) && seen.push(name));
    const wrap = (store: Parameters<typeof observed>[0]) => observed(store, { before });
    const service = await startService(t, engine, { ...mails.settings, ...REQUIRED }, { wrap });
    const { url, store } = service;
    const owner = await newUnproven(service);
    const register = async (email: string) => {
      const from = seen.length;
      const { answer, username } = await registerAs(url, { email });
      const { email: shown, ...rest } = answer.body.data;
      assert.deepEqual([answer.status, rest], [200, { status: 'pending', username, expires_in: 86_400 }]);
      return seen.slice(from);
    };
    const [free, taken] = [
      await register(`${newName()}@example.org`),
      await register(owner.email.toUpperCase()),
    ];
    assert.deepEqual(free, ['registrations.begin_registration']);
    assert.deepEqual(taken, free);
    assert.equal((await store.read(pending, null)).length, 2);
    const told = await mails.nextTo(owner.email);
    assert.equal(told.subject, 'You have an account already');
    assert.ok(told.text.startsWith(`Hello ${owner.username},\n`), told.text);
    const [{ carries } = { carries: '{}' }] = (await store.read(pending, null)).filter(
      ({ email }) => email.toLowerCase() === owner.email,
    );
    const again = { username: JSON.parse(carries).username, email: owner.email };
    assert.equal((await call(url, 'POST', '/api/auth/register/resend', { body: again })).status, 200);
    assert.equal((await mails.nextTo(owner.email)).subject, told.subject, 'and told again');
    assert.doesNotMatch(told.text + told.html, /token/);
  });
});

// One after another: a minute passes for all services of this process at once.
onEveryEngine('A verification link', (engine) =>
  describe('one after another', { concurrency: 1 }, () => {
    it('A verification link works for a day, and is removed within a minute of its end', async (t) => {
      const mails = await startMailServer(t);
      const settings = { ...mails.settings, ...REQUIRED };
      const { url, store, passTime } = await startService(t, engine, settings, { clock: () => NOW });
      const [last, late] = [await registerAs(url), await registerAs(url)];
      const links = [
        tokenIn(await mails.nextTo(last.email), 'verify-email'),
        tokenIn(await mails.nextTo(late.email), 'verify-email'),
      ];
      passTime(DAY - 1);
      const later = await registerAs(url);
      assert.equal((await follow(url, 'verify', links[0] ?? '')).status, 200);
      passTime(1);
      assertFailure(await follow(url, 'verify', links[1] ?? ''), 400, 'link_invalid');
      passMinute();
      const emails = async () => (await store.read(pending, null)).map(({ email }) => email);
      await until(async () => !(await emails()).includes(late.email), 'the address is removed');
      assert.deepEqual(await emails(), [later.email]);
    });
  }),
);

onEveryEngine('Accounts where EMAIL_VERIFICATION is off', (engine) => {
  let server: MailServer;
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('An account verifies its address by asking for a link, once', async () => {
        const { url, store } = service();
        const { id, email, token } = await newAccount(url);
        const ask = () => call(url, 'POST', '/api/auth/email/verification', { token });
        assert.deepEqual(await addressOf(url, token), [email, false]);
        assert.equal((await ask()).status, 200);
        const mailed = tokenIn(await server.nextTo(email), 'verify-email');
        assertFailure(await follow(url, 'confirm', mailed), 400, 'link_invalid');
        assertFailure(await follow(url, 'revert', mailed), 400, 'link_invalid');
        assert.equal((await follow(url, 'verify', mailed)).status, 200);
        assert.deepEqual(await addressOf(url, token), [email, true]);
        assert.equal((await ask()).status, 200);
        assert.equal((await store.read(linksOf, id)).length, 0, 'nothing is left to prove');
      });

      it('A request for a verification link says so where no mail was queued', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const ask = () => call(url, 'POST', '/api/auth/email/verification', { token });
        for (let each = 0; each < 5; each++) assert.equal((await ask()).status, 200);
        assertFailure(await ask(), 429, 'too_many_requests');
      });

      it('A password reset that verifies the address ends the personal access tokens of the account', async () => {
        const { url } = service();
        const { username, email, token } = await newAccount(url);
        const key = await newPersonalToken(url, { token });
        assert.match((await server.nextTo(email)).subject, /^A personal access token was made/);
        await forget(url, email);
        assert.equal((await reset(url, tokenIn(await server.nextTo(email)), OTHER)).status, 200);
        for (const old of [token, key])
          assertFailure(await call(url, 'GET', '/api/users/me', { token: old }), 401, 'token_revoked');
        assert.deepEqual(await addressOf(url, (await login(url, username, OTHER)).token), [email, true]);
      });
    },
    async (t) => {
      server = await startMailServer(t);
      return server.settings;
    },
  );
});

for (const { name, newPlace } of PLACES)
  it(`Pending registrations are 1,000 of one source at most, and 100,000 in all, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const on = { name, settings: async () => ({ DATABASE_URL: place.url }) };
    const { url } = await startService(t, on, { SMTP_URL: 'log', ...REQUIRED });
    const fill = (source: string, count: number) => {
      const key = keyOf('source', source);
      return place.sql(`INSERT INTO links (token_hash, purpose, email, email_key, source_key, carries, expires_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        SELECT '${source}' || i, 'register', 'a', 'a', '${key}', '{}', ${Date.now() + DAY} FROM n`);
    };
    await fill('203.0.113.1', 999);
    const atOnce = Array.from({ length: 8 }, () => registerAs(url, {}, '203.0.113.1'));
    const answers = (await Promise.all(atOnce)).map(({ answer }) => answer);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 7, 'one finds the last place');
    for (const answer of refused) assertFailure(answer, 429, 'too_many_requests');
    await fill('203.0.113.2', 98_999);
    assert.equal((await registerAs(url, {}, '203.0.113.3')).answer.status, 200);
    assertFailure((await registerAs(url, {}, '203.0.113.3')).answer, 503, 'busy');
  });

for (const { name, newPlace } of PLACES)
  it(`A source that spent its mails of an hour gets 429, and verified owners are notified, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const on = { name, settings: async () => ({ DATABASE_URL: place.url }) };
    // One more mail is free every 36 seconds, and on a busy machine the test may take longer.
    const now = Date.now();
    const settings = { SMTP_URL: 'log', ...REQUIRED, PUBLIC_URL: 'https://x.example' };
    const service = await startService(t, on, settings, { clock: () => now });
    const { url, log } = service;
    const [proved, unproved] = [await newUnproven(service), await newUnproven(service)];
    await place.sql(`UPDATE users SET email_verified_at = 1 WHERE id = ${proved.id}`);
    const source = '203.0.113.9';
    const spent = keyOf('mail_source', source);
    // A hundred an hour, of which two are left.
    await place.sql(`INSERT INTO guess_debts VALUES ('${spent}', ${now + 98 * 36_000})`);
    const box = newName();
    const register = (email: string, from = source) => registerAs(url, { email }, from);
    for (const part of ['+1', '+2'])
      assert.equal((await register(`${box}${part}@example.org`)).answer.status, 200);
    for (const email of [`${box}+3@example.org`, proved.email, unproved.email]) {
      const { answer } = await register(email);
      assertFailure(answer, 429, 'too_many_requests');
      assert.match(answer.body.message ?? '', /^Too many mails were asked for from here/);
      assert.equal(answer.headers.get('retry-after'), '36');
    }
    assert.equal((await register(`${box}+3@example.org`, '198.51.100.1')).answer.status, 200);

    const headers = { 'x-forwarded-for': source };
    const asker = await newUnproven(service);
    await place.sql(`UPDATE users SET email_verified_at = 1 WHERE id = ${asker.id}`);
    const { token: own } = await login(url, asker.username);
    // The answer does not tell whether an account has the address.
    for (const email of [`${box}+4@example.org`, proved.email, unproved.email]) {
      const answer = await call(url, 'POST', '/api/auth/email', { token: own, body: { email }, headers });
      assertFailure(answer, 429, 'too_many_requests');
      assert.match(answer.body.message ?? '', /^Too many mails were asked for from here/);
    }
    const { token } = await login(url, proved.username);
    const body = { current_password: PASSWORD, new_password: OTHER };
    assert.equal((await call(url, 'POST', '/api/auth/password', { token, body, headers })).status, 200);
    await call(url, 'POST', '/api/auth/password/forgotten', { body: { email: unproved.email }, headers });
    const told = (to: string, subject: string) =>
      log.map((line) => JSON.parse(line)).some((line) => line.to === to && line.subject === subject);
    await until(() => told(proved.email, 'Your password was changed'), 'one is told of the new password');
    await until(() => told(unproved.email, 'Choose a new password'), 'the other gets a link');
  });

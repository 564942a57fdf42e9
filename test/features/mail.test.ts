import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { usePasswordReset } from '../../src/auth/reset-password.ts';
import { readConfig } from '../../src/config.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { hashOfToken } from '../../src/domain/token-hash.ts';
import { claimDueMails } from '../../src/services/mail/outbox.ts';
import { placeOfSecret } from '../../src/services/mail/queue.ts';
import { render } from '../../src/services/mail/templates.ts';
import { newKeyText, parseKey } from '../../src/services/sealing/key.ts';
import { unseal } from '../../src/services/sealing/seal.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { onEveryEngine, sameDatabase, temporaryFolder } from '../support/engines.ts';
import { forget, mailLink, newResetLink, reset, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { observed } from '../support/observed.ts';
import { PLACES } from '../support/place.ts';
import { type RunningService, startService } from '../support/service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);
const NEW = 'a better horse battery';
const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };

const readMails = readOperation('test.read_mails', async (db, _: null) => ({
  mails: await db.selectFrom('mails').selectAll().execute(),
  resets: await db.selectFrom('password_resets').selectAll().execute(),
}));

const waiting = async ({ store }: RunningService) => (await store.read(readMails, null)).mails;

/** Resolves when the mails that wait were attempted so often in all. */
async function untilAttempted(service: RunningService, attempts: number): Promise<void> {
  while ((await waiting(service)).reduce((sum, mail) => sum + mail.attempts, 0) < attempts) await pause(20);
}

async function untilLogged({ log }: RunningService, message: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = log.find((each) => JSON.parse(each).msg === message);
    if (line) return JSON.parse(line);
    await pause(20);
  }
}

const NOT_TAKEN = 'mail was not taken; trying again';
const GIVEN_UP = 'a mail could not be sent, and was given up';

onEveryEngine('A mail', (engine) => {
  it('waits for a mail server that is down, sealed, and goes when it is back', async (t) => {
    const server = await startMailServer(t);
    const service = await startService(t, engine, server.settings, { clock: () => NOW });
    const { url } = service;
    const { email } = await newAccount(url);
    await server.stop();
    assert.equal((await forget(url, email)).status, 200);
    await untilAttempted(service, 1);
    assert.equal((await untilLogged(service, NOT_TAKEN)).cause, 'ESOCKET ECONNREFUSED');
    const copy = JSON.stringify(await service.store.read(readMails, null));
    await server.start();
    service.passTime(MINUTE);
    const link = tokenIn(await server.next());
    for (const secret of [link, link.slice('stoa_pr_'.length)]) assert.ok(!copy.includes(secret), copy);
    assert.ok(copy.includes(hashOfToken(link)), 'its hash is there');
    assert.equal((await reset(url, link, NEW)).status, 200);
    await server.next();
    while ((await waiting(service)).length > 0) await pause(20);
  });

  it('that the mail server refuses is tried again, and is in no log, even where the server repeats it', async (t) => {
    const server = await startMailServer(t);
    const service = await startService(t, engine, server.settings, { clock: () => NOW });
    const { email, username } = await newAccount(service.url);
    server.refuse('5.7.1 $');
    await forget(service.url, email);
    await untilAttempted(service, 1);
    const line = await untilLogged(service, NOT_TAKEN);
    assert.deepEqual([line.mails, line.cause], [1, 'EMESSAGE 554 5.7.1']);
    assert.equal(server.refused(), 1);
    server.refuse(undefined);
    service.passTime(MINUTE);
    const link = tokenIn(await server.next());
    const log = service.log.join('');
    for (const secret of [link, 'reset-password#', email, username]) assert.ok(!log.includes(secret), secret);
  });

  it('that is of no use any more is given up, with one line in the log', async (t) => {
    const server = await startMailServer(t);
    const service = await startService(t, engine, server.settings, { clock: () => NOW });
    const { url, passTime } = service;
    const { token, email } = await newAccount(url);
    server.refuse('no');
    await forget(url, email);
    const body = { current_password: PASSWORD, new_password: NEW };
    assert.equal((await call(url, 'POST', '/api/auth/password', { token, body })).status, 200);
    await untilAttempted(service, 2);
    passTime(30 * MINUTE);
    const { template, attempts } = await untilLogged(service, GIVEN_UP);
    assert.deepEqual([template, attempts], ['password_reset', 1]);
    passTime(DAY);
    while ((await waiting(service)).length > 0) await pause(20);
    const given = service.log.map((each) => JSON.parse(each)).filter(({ msg }) => msg === GIVEN_UP);
    assert.deepEqual(
      given.map((each) => each.template),
      ['password_reset', 'password_changed'],
    );
  });

  it('is tried after 1, 2, 4, 8 ... minutes, later each 4 hours, and a link no longer than it lives', async (t) => {
    const service = await startService(t, engine, {}, { clock: () => NOW });
    const { store } = service;
    const { token } = await newResetLink(service, { now: NOW });
    await newResetLink(service, { now: NOW });
    const change = { tokenHash: hashOfToken(token), newHash: '', sendsMail: true };
    await store.write(usePasswordReset, { ...change, now: NOW, origin: ORIGIN });
    const tried: Record<string, number[]> = { password_reset: [], password_changed: [] };
    const given: Record<string, number[]> = { password_reset: [], password_changed: [] };
    for (let now = NOW; ; ) {
      const { mails, givenUp } = await store.write(claimDueMails, now);
      for (const { template } of mails) tried[template]?.push((now - NOW) / MINUTE);
      for (const { template } of givenUp) given[template]?.push((now - NOW) / MINUTE);
      assert.deepEqual(
        await store.write(claimDueMails, now),
        { mails: [], givenUp: [] },
        'it is claimed once',
      );
      const next = (await waiting(service)).map(({ next_attempt_at }) => next_attempt_at);
      if (next.length === 0) break;
      now = Math.min(...next);
    }
    const hours = [256, 496, 736, 976, 1216];
    assert.deepEqual(tried.password_changed, [0, 1, 2, 4, 8, 16, 32, 64, 128, ...hours]);
    assert.deepEqual(
      tried.password_reset,
      [0, 1, 2, 4, 8, 16].flatMap((minute) => [minute, minute]),
    );
    assert.deepEqual(given, { password_reset: [30, 30], password_changed: [24 * 60] });
  });

  it('comes again under the same id where nobody knows whether it was taken', async (t) => {
    const server = await startMailServer(t);
    let fails = 1;
    const before = (name: string) => {
      if (name === 'mail.remove_sent' && fails-- > 0) throw unavailable();
    };
    const wrap = (store: Parameters<typeof observed>[0]) => observed(store, { before });
    const service = await startService(t, engine, server.settings, { clock: () => NOW, wrap });
    const { email } = await newAccount(service.url);
    await forget(service.url, email);
    const first = await server.next();
    await untilLogged(service, NOT_TAKEN);
    service.passTime(MINUTE);
    const second = await server.next();
    const id = /^Message-ID: <[\w-]{22}@example\.org>$/m;
    assert.match(first.head, id);
    assert.equal(id.exec(first.head)?.[0], id.exec(second.head)?.[0]);
  });

  it('is sent by one of several instances', async (t) => {
    const server = await startMailServer(t);
    const database = await sameDatabase(t, engine);
    const start = () => startService(t, database, server.settings);
    const one = await start();
    if (engine.name === 'PostgreSQL') await start();
    const links = await Promise.all(Array.from({ length: 12 }, () => newResetLink(one)));
    const mails = await Promise.all(links.map(() => server.next()));
    while ((await waiting(one)).length > 0) await pause(20);
    assert.deepEqual(mails.flatMap(({ to }) => to).sort(), links.map(({ account }) => account.email).sort());
    assert.equal(server.received.length, links.length);
  });

  it('is claimed once, of many claims at once', async (t) => {
    const service = await startService(t, engine, {}, { clock: () => NOW });
    await Promise.all(Array.from({ length: 12 }, () => newResetLink(service, { now: NOW })));
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => service.store.write(claimDueMails, NOW)),
    );
    const claimed = claims.flatMap(({ mails }) => mails.map(({ id }) => id));
    assert.deepEqual([claimed.length, new Set(claimed).size], [12, 12]);
  });

  it('is sealed anew with all else, and none is sealed under the key of before', async (t) => {
    const service = await startService(t, engine, {}, { clock: () => NOW });
    await newResetLink(service, { now: NOW });
    const key = parseKey(newKeyText());
    await service.sealing.reseal(service.store, key, NOW);
    const [mail] = await waiting(service);
    assert.ok(mail?.secret_sealed);
    assert.match(unseal(key, placeOfSecret(mail.id), mail.secret_sealed) ?? '', /^stoa_pr_[\w-]{43}$/);
    await assert.rejects(newResetLink(service, { now: NOW }), /The sealing key was changed/);
    assert.equal((await service.store.read(readMails, null)).resets.length, 1);
  });

  it('is printed instead where SMTP_URL is log', async (t) => {
    const service = await startService(t, engine, { SMTP_URL: 'log', PUBLIC_URL: 'https://stoa.example' });
    const { email } = await newAccount(service.url);
    await forget(service.url, email);
    const line = await untilLogged(service, 'a mail, which is not sent (SMTP_URL=log)');
    const link = tokenIn({ text: String(line.text), html: String(line.text) });
    assert.deepEqual([line.to, line.subject], [email, 'Choose a new password']);
    assert.equal((await reset(service.url, link, NEW)).status, 200);
  });

  it('has the words of the folder MAIL_TEMPLATES, and of ours where it has none', async (t) => {
    const [server, folder] = [await startMailServer(t), await temporaryFolder(t)];
    await writeFile(
      join(folder, 'password-reset.txt'),
      'Subject: {{username}}!\n\nhttps://stoa.example/reset-password#token={{ token }}\n',
    );
    await mkdir(join(folder, 'drafts'));
    const settings = { ...server.settings, MAIL_TEMPLATES: folder };
    const { url } = await startService(t, engine, settings);
    const { username, email } = await newAccount(url);
    await forget(url, email);
    const mail = await server.next();
    assert.equal(mail.subject, `${username}!`);
    assert.equal(mail.text.trim(), `https://stoa.example/reset-password#token=${tokenIn(mail)}`);
    assert.match(mail.html, /somebody asked for a new password/);
    assert.match(mail.head, /^From: Stoa <stoa@example\.org>$/m);
    assert.match(mail.head, /^Auto-Submitted: auto-generated$/m);
  });
});

for (const { name, newPlace } of PLACES)
  it(`Mails that wait are 10,000 at most, and no link is kept whose mail is not, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const on = { name, settings: async () => ({ DATABASE_URL: place.url }) };
    const service = await startService(t, on, {}, { clock: () => NOW });
    await place.sql(`INSERT INTO mails
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9996)
      SELECT 'm' || i, 'a@example.org', 'password_changed', '{}', NULL, 0, 0, ${NOW + DAY}, ${NOW + DAY} FROM n`);
    const kept = async () => (await service.store.read(readMails, null)).resets.length;
    const accounts = await Promise.all(Array.from({ length: 8 }, () => newAccount(service.url)));
    await Promise.all(accounts.map(({ id }) => mailLink(service, id, NOW)));
    assert.deepEqual([(await waiting(service)).length, await kept()], [10_000, 4]);
  });

describe('A template', () => {
  const template = {
    subject: 'To {{name}}',
    text: '{{name}} & co',
    html: '<p title="{{name}}">{{name}}</p>',
  };

  it('lets no value out of its place: not into HTML, another header or another line', () => {
    const hostile = `a"><script>'&\r\nBcc: all@example.org`;
    const mail = render(template, { name: hostile });
    assert.equal(mail.subject, `To a"><script>'&  Bcc: all@example.org`);
    assert.equal(mail.text, `a"><script>'&  Bcc: all@example.org & co`);
    const escaped = 'a&quot;&gt;&lt;script&gt;&#39;&amp;  Bcc: all@example.org';
    assert.equal(mail.html, `<p title="${escaped}">${escaped}</p>`);
  });

  it('does not fill in what a value names', () => {
    assert.equal(render(template, { name: '{{token}}', token: 'secret' }).text, '{{token}} & co');
  });

  it('that is wrong ends the start with one line', async (t) => {
    const folder = await temporaryFolder(t);
    const settings = { SMTP_URL: 'log', MAIL_TEMPLATES: folder };
    const refused = async (file: string, text: string, message: RegExp) => {
      await writeFile(join(folder, file), text);
      assert.throws(() => readConfig(settings), { message });
    };
    await refused(
      'password-reset.txt',
      'Hello\n',
      /^MAIL_TEMPLATES has "password-reset\.txt" .* must begin with/,
    );
    await refused(
      'password-reset.txt',
      'Subject: a\n\n{{user}}\n',
      /must name none but .*, not \{\{user\}\}\.$/,
    );
    await refused('password-rest.txt', '', /^MAIL_TEMPLATES has "password-rest\.txt", which is no template/);
  });
});

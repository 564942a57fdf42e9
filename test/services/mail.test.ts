import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { hashOfToken } from '../../src/domain/token-hash.ts';
import { expiriesOf } from '../../src/features.ts';
import { usePasswordReset } from '../../src/passwords/reset.ts';
import { expiryJob } from '../../src/services/expiry.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { ATTEMPT_MS, watchOutbox } from '../../src/services/mail/feature.ts';
import { claimDueMails, FIRST_PAUSE_MS } from '../../src/services/mail/outbox.ts';
import { placeOfMailSecret } from '../../src/services/mail/queue.ts';
import { render } from '../../src/services/mail/templates.ts';
import { newKeyText, parseKey } from '../../src/services/sealing/key.ts';
import { unseal } from '../../src/services/sealing/seal.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { newUnproven, registerAs } from '../support/email.ts';
import {
  type Lifetime,
  onEveryEngine,
  onOneEngine,
  sameDatabase,
  temporaryFolder,
} from '../support/engines.ts';
import { forget, mailLink, mailServerOfSuite, newResetLink, reset, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { observed } from '../support/observed.ts';
import { PLACES, type Place } from '../support/place.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeInTurn, type InTurn } from '../support/suite.ts';
import { until, untilThere } from '../support/until.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);
const NEW = 'a better horse battery';
const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };

const readMails = readOperation('test.read_mails', async (db, _: null) => ({
  mails: await db.selectFrom('mails').selectAll().execute(),
  resets: await db.selectFrom('links').selectAll().execute(),
}));

const waiting = async ({ store }: RunningService) => (await store.read(readMails, null)).mails;

/** Resolves when the mails that wait were attempted so often in all. */
async function untilAttempted(service: RunningService, attempts: number): Promise<void> {
  const attempted = async () => (await waiting(service)).reduce((sum, mail) => sum + mail.attempts, 0);
  await until(async () => (await attempted()) >= attempts, `${attempts} attempts to send a mail are made`);
}

async function untilLogged(service: RunningService, message: string): Promise<Record<string, unknown>> {
  const line = () => service.log.find((each) => JSON.parse(each).msg === message);
  return JSON.parse(await untilThere(line, `the log tells: ${message}`));
}

/** The service, with the lines only that it logs from now on. */
function fromNow(service: InTurn): InTurn {
  const { length } = service.log;
  return {
    ...service,
    get log() {
      return service.log.slice(length);
    },
  };
}

/** Nobody listens there. */
const NO_SERVER = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'stoa@example.org',
  PUBLIC_URL: 'https://stoa.example',
  EMAIL_VERIFICATION: 'required',
};

/** What some mail program makes a link of: user names, and what a name could be that people see. */
const LINKING = [
  'www.evil-bank.com',
  'bit.ly',
  'a.b.c.d.e.example',
  'банк.рф',
  '例え.テスト',
  'مثال.إختبار',
  '１.１.１.１',
  'a@b',
  'ada@evil-bank.com',
  'https://evil-bank.com/a',
  'mailto:ada',
  '例え。テスト',
  'evil．com',
  'evil․com',
  'ada＠evil',
  '\\\\evil\\share',
];
/** Two parts and what joins them, or the beginning of an address with its scheme. */
const LINK = /[\p{L}\p{M}\p{N}_-][.\u3002@][\p{L}\p{M}\p{N}_-]|[a-z]:\S|\\\\/u;

const NOT_TAKEN = 'mail was not taken; trying again';
const REFUSED = 'the mail server refuses the recipient of a mail for good; the mail was removed';
const GIVEN_UP = 'a mail could not be sent, and was given up';

it('An attempt to send a mail ends before the next one, so that no two attempts of a mail overlap', () => {
  assert.ok(ATTEMPT_MS < FIRST_PAUSE_MS);
});

onEveryEngine('Mails', (engine) => {
  const { server: mails, settings: withMails } = mailServerOfSuite();
  describeInTurn(
    engine,
    'of a service with a mail server',
    (service) => {
      beforeEach(async () => {
        mails().refuse(undefined);
        await service().exec('DELETE FROM mails');
      });

      it('A mail waits sealed for a mail server that is down, and is sent when the server is back', async () => {
        const [running, server] = [fromNow(service()), mails()];
        const { url } = running;
        const { email } = await newAccount(url);
        await server.stop();
        assert.equal((await forget(url, email)).status, 200);
        await untilAttempted(running, 1);
        assert.equal((await untilLogged(running, NOT_TAKEN)).cause, 'ESOCKET ECONNREFUSED');
        const copy = JSON.stringify(await running.store.read(readMails, null));
        await server.start();
        running.passTime(MINUTE);
        const link = tokenIn(await server.next());
        for (const secret of [link, link.slice('stoa_pr_'.length)]) assert.ok(!copy.includes(secret), copy);
        assert.ok(copy.includes(hashOfToken(link)), 'its hash is there');
        assert.equal((await reset(url, link, NEW)).status, 200);
        await server.next();
        await until(async () => (await waiting(running)).length === 0, 'no mail waits');
      });

      it('A refused mail is sent again and never logged, even where the server repeats it', async () => {
        const [running, server] = [fromNow(service()), mails()];
        const { email, username } = await newAccount(running.url);
        const before = server.refused();
        server.refuse('5.7.1 $');
        await forget(running.url, email);
        await untilAttempted(running, 1);
        const line = await untilLogged(running, NOT_TAKEN);
        assert.deepEqual([line.mails, line.cause], [1, 'EMESSAGE 554 5.7.1']);
        assert.equal(server.refused(), before + 1);
        server.refuse(undefined);
        running.passTime(MINUTE);
        const link = tokenIn(await server.next());
        const log = running.log.join('');
        for (const secret of [link, 'reset-password#', email, username])
          assert.ok(!log.includes(secret), secret);
      });

      it('A mail that has become useless is given up, with one line in the log', async () => {
        const [running, server] = [fromNow(service()), mails()];
        const { url, passTime } = running;
        const { token, email } = await newAccount(url);
        server.refuse('no');
        await forget(url, email);
        const body = { current_password: PASSWORD, new_password: NEW };
        assert.equal((await call(url, 'POST', '/api/auth/password', { token, body })).status, 200);
        await untilAttempted(running, 2);
        passTime(30 * MINUTE);
        const { template, attempts } = await untilLogged(running, GIVEN_UP);
        assert.deepEqual([template, attempts], ['password_reset', 1]);
        passTime(DAY);
        await until(async () => (await waiting(running)).length === 0, 'no mail waits');
        const given = () => running.log.map((each) => JSON.parse(each)).filter(({ msg }) => msg === GIVEN_UP);
        // The line comes after the commit that removes the mail.
        await until(() => given().length >= 2, 'two mails are given up');
        assert.deepEqual(
          given().map((each) => each.template),
          ['password_reset', 'password_changed'],
        );
      });

      it('Only a mail whose mailbox is refused for good is removed at once, with one line in the log', async () => {
        const [running, server] = [fromNow(service()), mails()];
        server.refuseRecipient('gone', '553 5.1.3 $');
        server.refuseRecipient('bare', '553 no such mailbox');
        server.refuseRecipient('later', '450 4.2.1 try again');
        server.refuseRecipient('relay', '554 5.7.1 relay access denied');
        server.refuseRecipient('exim', '550 relay not permitted');
        server.refuseRecipient('host', '550 rejected because 192.0.2.5 is in a black list');
        server.refuseRecipient('sender', '550 5.1.8 sender address rejected: domain not found');
        server.refuseRecipient('quota', '550 5.4.5 daily sending limit exceeded');
        const beginnings = ['gone', 'bare', 'later', 'relay', 'exim', 'host', 'sender', 'quota'];
        const accounts = await Promise.all(beginnings.map((each) => newAccount(running.url, newName(each))));
        await Promise.all(accounts.map(({ email }) => forget(running.url, email)));
        const logged = () => running.log.map((each) => JSON.parse(each));
        const settled = () =>
          logged().reduce(
            (sum, { msg, mails }) => sum + (msg === NOT_TAKEN ? mails : Number(msg === REFUSED)),
            0,
          );
        await until(() => settled() >= accounts.length, 'the answer to each mail is logged');
        await until(
          async () => (await waiting(running)).length === accounts.length - 2,
          'two mails are removed',
        );
        const left = await waiting(running);
        assert.deepEqual(
          left.map(({ recipient }) => recipient).sort(),
          accounts
            .slice(2)
            .map(({ email }) => email)
            .sort(),
          'what may pass, and what a wrong setting does to all mails, is tried again',
        );
        const lines = logged().filter(({ msg }) => msg === REFUSED);
        assert.deepEqual(lines.map(({ template, cause }) => [template, cause]).sort(), [
          ['password_reset', 'EENVELOPE 553'],
          ['password_reset', 'EENVELOPE 553 5.1.3'],
        ]);
      });
    },
    withMails,
  );

  describeInTurn(engine, 'that nobody sends', (service) => {
    beforeEach(() => service().exec('DELETE FROM mails; DELETE FROM links'));

    it('A mail is tried after 1, 2, 4, 8 ... minutes, then every 4 hours, and only while its link lives', async () => {
      const running = service();
      const { store } = running;
      const { token } = await newResetLink(running, { now: NOW });
      await newResetLink(running, { now: NOW });
      const change = { tokenHash: hashOfToken(token), newHash: '', provesAddress: true, sendsMail: true };
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
        const next = (await waiting(running)).map(({ next_attempt_at }) => next_attempt_at);
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

    it('A mail of a clock that was ahead is sent at once after the clock is set back', async () => {
      const running = service();
      const { store } = running;
      for (const ahead of [NOW + DAY, NOW + 365 * DAY]) {
        await newResetLink(running, { now: ahead });
        assert.equal((await store.write(claimDueMails, NOW)).mails.length, 1);
        assert.equal((await store.write(claimDueMails, NOW)).mails.length, 0, 'it is claimed once');
      }
    });

    it('A mail is removed a day after it was made where no mail server is set', async () => {
      const running = service();
      await newResetLink(running, { now: NOW });
      const expiries = expiriesOf({ auditDays: 90 });
      await expiryJob(expiries, running.store, () => NOW + DAY - 1).run(new AbortController().signal);
      assert.equal((await waiting(running)).length, 1);
      await expiryJob(expiries, running.store, () => NOW + DAY).run(new AbortController().signal);
      assert.equal((await waiting(running)).length, 0);
    });

    it('A mail is claimed once by many claims at once', async () => {
      const running = service();
      await Promise.all(Array.from({ length: 12 }, () => newResetLink(running, { now: NOW })));
      const claims = await Promise.all(
        Array.from({ length: 4 }, () => running.store.write(claimDueMails, NOW)),
      );
      const claimed = claims.flatMap(({ mails }) => mails.map(({ id }) => id));
      assert.deepEqual([claimed.length, new Set(claimed).size], [12, 12]);
    });
  });

  it('A mail is sent again under the same id where its delivery is unknown', async (t) => {
    const server = await startMailServer(t);
    let fails = 1;
    const before = (name: string) => {
      if (name === 'mail.remove' && fails-- > 0) throw unavailable();
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

  it('A mail is sent by one of several instances', async (t) => {
    const server = await startMailServer(t);
    const database = await sameDatabase(t, engine);
    const start = () => startService(t, database, server.settings);
    const one = await start();
    if (engine.name === 'PostgreSQL') await start();
    const links = await Promise.all(Array.from({ length: 12 }, () => newResetLink(one)));
    const mails = await Promise.all(links.map(() => server.next()));
    await until(async () => (await waiting(one)).length === 0, 'no mail waits');
    assert.deepEqual(mails.flatMap(({ to }) => to).sort(), links.map(({ account }) => account.email).sort());
    assert.equal(server.received.length, links.length);
  });

  it('A mail is sealed again with all else, and none is sealed under the former key', async (t) => {
    const service = await startService(t, engine, {}, { clock: () => NOW });
    await newResetLink(service, { now: NOW });
    const key = parseKey(newKeyText());
    await service.sealing.reseal(service.store, key, NOW);
    const [mail] = await waiting(service);
    assert.ok(mail?.secret_sealed);
    assert.match(unseal(key, placeOfMailSecret(mail.id), mail.secret_sealed) ?? '', /^stoa_pr_[\w-]{43}$/);
    await assert.rejects(newResetLink(service, { now: NOW }), /The sealing key was changed/);
    assert.equal((await service.store.read(readMails, null)).resets.length, 1);
  });
});

onOneEngine('Texts of mails', (engine) => {
  it('A mail is printed where SMTP_URL is log', async (t) => {
    const service = await startService(t, engine, { SMTP_URL: 'log', PUBLIC_URL: 'https://stoa.example' });
    const { email } = await newAccount(service.url);
    await forget(service.url, email);
    const line = await untilLogged(service, 'a mail, which is not sent (SMTP_URL=log)');
    const link = tokenIn({ text: String(line.text), html: String(line.text) });
    assert.deepEqual([line.to, line.subject], [email, 'Choose a new password']);
    assert.equal((await reset(service.url, link, NEW)).status, 200);
  });

  it('A mail has the text of MAIL_TEMPLATES, and our text where that has none', async (t) => {
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

// One after another: each fills the outbox of the one service.
for (const { name, newPlace } of PLACES)
  describe(`The outbox, on ${name}`, { concurrency: 1 }, () => {
    let place: Place;
    let service: RunningService;
    let made = 0;
    const atTheEnd: (() => unknown)[] = [];
    before(async () => {
      const lifetime: Lifetime = {
        after: (work) => void atTheEnd.push(() => Reflect.apply(Object(work), null, [])),
      };
      place = await newPlace(lifetime);
      const on = { name, settings: async () => ({ DATABASE_URL: place.url }) };
      service = await startService(lifetime, on, NO_SERVER, { clock: () => NOW });
    });
    beforeEach(() =>
      place.sql(...['mails', 'guess_debts', 'audit_events', 'links'].map((each) => `DELETE FROM ${each}`)),
    );
    after(async () => {
      for (const work of atTheEnd) await work();
    });

    /** Mails that wait for long, caused by a source or by none. */
    const fill = (count: number, source: string | null = null) => {
      const first = made;
      made += count;
      const key = source === null ? 'NULL' : `'${keyOf('source', source)}'`;
      return place.sql(`INSERT INTO mails (id, recipient, template, template_values, secret_sealed, made_at, attempts, next_attempt_at, give_up_at, source_key)
        WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})
        SELECT 'm' || i, 'a@example.org', 'password_changed', '{}', NULL, 0, 0, ${NOW + DAY}, ${NOW + DAY}, ${key} FROM n`);
    };
    const count = async (table: 'mails' | 'links') => {
      const [row] = await place.sql(`SELECT count(*) AS count FROM ${table}`);
      return Number(row?.count);
    };
    const dropped = async () => {
      const rows = await place.sql("SELECT detail, times FROM audit_events WHERE event = 'mail_dropped'");
      return rows.map(({ detail, times }) => [JSON.parse(String(detail)).because, Number(times)]);
    };
    const prove = (id: number) => place.sql(`UPDATE users SET email_verified_at = 1 WHERE id = ${id}`);

    it('The outbox has 10,000 mails at most, a quarter only for verified addresses, and counts drops', async () => {
      const accounts = await Promise.all(Array.from({ length: 8 }, () => newUnproven(service)));
      const ask = () => Promise.all(accounts.map(({ id }) => mailLink(service, id, NOW)));
      await fill(7_496);
      await ask();
      assert.deepEqual([await count('mails'), await count('links')], [7_500, 4]);
      assert.deepEqual(await dropped(), [['outbox_full', 4]]);
      for (const { id } of accounts) await prove(id);
      await fill(2_495);
      await ask();
      assert.deepEqual([await count('mails'), await count('links')], [10_000, 9]);
      assert.deepEqual(await dropped(), [['outbox_full', 7]]);
    });

    it('The outbox has 5,000 mails at most to addresses that strangers name', async () => {
      await fill(4_999);
      for (let each = 0; each < 3; each++)
        assert.equal((await registerAs(service.url)).answer.status, 200, 'nothing is told');
      assert.equal(await count('mails'), 5_000);
      await mailLink(service, (await newUnproven(service)).id, NOW);
      assert.equal(await count('mails'), 5_001, 'accounts have the rest');
    });

    it('The outbox has 500 mails of one source at most, and 2,000 with those to verified addresses', async () => {
      const [{ id: one }, { id: other }] = [await newUnproven(service), await newUnproven(service)];
      await fill(499, ORIGIN.source);
      for (const id of [one, other]) await mailLink(service, id, NOW, ORIGIN);
      assert.deepEqual([await count('mails'), await count('links')], [500, 1]);
      assert.deepEqual(await dropped(), [['source_full', 1]]);
      await mailLink(service, other, NOW, { ...ORIGIN, source: '198.51.100.1' });
      await prove(one);
      await mailLink(service, one, NOW, ORIGIN);
      await fill(1_499, ORIGIN.source);
      await mailLink(service, one, NOW, ORIGIN);
      assert.equal(await count('links'), 3);
    });

    it('A full outbox says so in the log and at /readyz, and also when there is room again', async () => {
      const state = async () => (await call(service.url, 'GET', '/readyz')).body.data.checks.outbox;
      const untilStateIs = (wanted: string) =>
        until(async () => (await state()) === wanted, `the outbox is ${wanted}`);
      await untilStateIs('ok');
      const before = service.log.length;
      await fill(5_000);
      await untilStateIs('accounts_only');
      await fill(5_000);
      await untilStateIs('full');
      await place.sql('DELETE FROM mails');
      await untilStateIs('ok');
      const lines = service.log.slice(before).map((each) => JSON.parse(each).msg);
      assert.deepEqual(
        lines.filter((each) => /outbox/.test(each)),
        [
          'the outbox has room only for mails to accounts',
          'the outbox is full, so no mail is queued any more',
          'the outbox has room again',
        ],
      );
    });
  });

it('An outbox logs one line for each state, also when the number of mails goes up and down a little', () => {
  const lines: string[] = [];
  const add = ({ waiting }: { waiting?: number }) => void lines.push(String(waiting));
  const watch = watchOutbox({ info: add, warn: add });
  const states = [4_999, 5_000, 4_999, 5_001, 4_500, 4_499, 10_000, 9_000, 8_999, 10_000, 0].map((each) => {
    watch.see(each);
    return watch.state();
  });
  const [some, all] = ['accounts_only', 'full'];
  assert.deepEqual(states, ['ok', some, some, some, some, 'ok', all, all, some, all, 'ok']);
  assert.deepEqual(lines, ['5000', '4499', '10000', '8999', '10000', '0']);
});

describe('Templates of mails', () => {
  const template = {
    subject: 'To {{name}}',
    text: '{{name}} & co',
    html: '<p title="{{name}}">{{name}}</p>',
  };

  it('A value of a template stays in its place: it adds no HTML, header or line', () => {
    const hostile = `a"><script>'&\r\nBcc: all@example.org`;
    const mail = render(template, { name: hostile });
    assert.equal(mail.subject, `To a"><script>'&  Bcc: all[@]example[.]org`);
    assert.equal(mail.text, `a"><script>'&  Bcc: all[@]example[.]org & co`);
    const escaped = 'a&quot;&gt;&lt;script&gt;&#39;&amp;  Bcc: all[@]example[.]org';
    assert.equal(mail.html, `<p title="${escaped}">${escaped}</p>`);
  });

  for (const name of LINKING)
    it(`A template shows the name ${name} so that no mail program makes a link of it`, () => {
      const mail = render(template, { name });
      for (const text of [mail.subject, mail.text, mail.html.replaceAll(/<[^>]*>/g, ' ')]) {
        assert.doesNotMatch(text.normalize('NFKC'), LINK, text);
        assert.ok(text.replaceAll(/[[\]]/g, '').includes(name), 'and as it is but for that');
      }
    });

  it('A template makes no link of a name and the text right behind it', () => {
    const closely = { ...template, subject: '{{name}}com' };
    assert.equal(render(closely, { name: 'evil.' }).subject, 'evil[.]com');
  });

  it('A template leaves a name unchanged that could be no link', () => {
    for (const name of ['ada_lovelace-1', 'Dr. Ada', 'Ада', '埃达'])
      assert.equal(render(template, { name }).subject, `To ${name}`);
  });

  it('A template does not fill in what a value names', () => {
    assert.equal(render(template, { name: '{{token}}', token: 'secret' }).text, '{{token}} & co');
  });

  it('A wrong template ends the start with one line', async (t) => {
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

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause, setImmediate as turnOfLoop } from 'node:timers/promises';
import { NOT_EXPORTED } from '../../src/accounts/export.ts';
import { PERSONAL_DATA, TABLES } from '../../src/features.ts';
import { LIMITS } from '../../src/http/limits.ts';
import type { Store } from '../../src/store/store.ts';
import { SITE } from '../support/authenticator.ts';
import {
  type Account,
  call,
  login,
  newAccount,
  newItem,
  newName,
  PASSWORD,
  refresh,
} from '../support/client.ts';
import type { Lifetime } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { forget } from '../support/mail.ts';
import { newPasskey } from '../support/passkeys.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { PLACES, type Place } from '../support/place.ts';
import { guard } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { describeInTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const MEBIBYTE = 1024 * 1024;
const PATH = '/api/users/me/export';
/** Columns that name an account by its id. */
const ACCOUNT_ID = /(^|_)(user|account|actor|author|owner)_id$/;
const MAIL = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'a@stoa.example',
  PUBLIC_URL: SITE.origin,
};

for (const { name, newPlace } of PLACES)
  describe(`The export of an account, on ${name}`, () => {
    it('The export of an account has all its data in every table, without secrets and data of others', async (t) => {
      const place = await newPlace(t);
      const settings = async () => ({ DATABASE_URL: place.url, ...MAIL });
      const service = await startService(t, { name, settings }, {}, { clock: () => NOW });
      const { url } = service;
      const first = await newAccount(url);
      const admin = await newWithRole(service, 'admin');
      const ask = async (token: string, method: string, path: string, body?: object) => {
        const answer = await call(url, method, path, { token, ...(body && { body }) });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body.data;
      };
      await ask(admin.token, 'PUT', `/api/users/${first.id}`, { role: 'admin' });
      await ask(first.token, 'POST', '/api/invitations', { email: 'new@stoa.example', role: 'member' });
      const given = { username: newName(), display_name: 'Ada', profile: { theme: 'dark' } };
      await ask(first.token, 'PUT', '/api/users/me', given);
      const account = { ...first, ...given };
      const other = await newAccount(url);
      await newItem(url, other.token, { title: 'of another' });
      const items = [];
      for (let each = 0; each < 60; each++)
        items.push(await newItem(url, account.token, { title: `item ${each}`, tags: ['a', 'b'] }));
      const path = `/api/content/${items[0]?.id}`;
      items[0] = await ask(account.token, 'PUT', path, { title: 'another title' });
      await ask(account.token, 'PUT', `${path}/draft`, { title: 'a title to come' });
      const ofDraft = { title: 'of a draft', status: 'draft', publish_at: '2031-01-01T00:00:00.000Z' };
      items.unshift(await newItem(url, account.token, ofDraft));
      const program = await newPersonalToken(url, account, 'read', 'nightly');
      const { secret: ofApp, recoveryCodes } = await guard(url, account, NOW);
      await newPasskey(url, account);
      await ask(account.token, 'POST', '/api/auth/email/verification');
      await forget(url, account.email);
      const resets = () => place.sql("SELECT id FROM links WHERE purpose = 'reset_password'");
      await until(async () => (await resets()).length > 0, 'the link is made');
      const next = (await refresh(url, account.refreshToken)).body.data;

      const answer = await call(url, 'GET', PATH, { token: next.token });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const { data } = answer.body;
      const at = new Date(NOW).toISOString();
      const { id, email } = account;
      const times = { created_at: at, last_sign_in_at: at };
      assert.deepEqual(data.account, { id, email, role: 'admin', ...given, ...times });
      const sections = PERSONAL_DATA.flatMap((each) => each.sections.map(({ name: section }) => section));
      assert.deepEqual(
        sections.filter((section) => data[section].length === 0),
        [],
      );
      assert.equal(data.exported_at, at);
      assert.deepEqual(
        data.content.map(({ author: _, ...item }: object & { author?: object }) => item),
        items.map(({ author: _, ...item }) => item),
      );
      assert.deepEqual([data.content_versions[0].title, data.content_versions.length], ['item 0', 1]);
      assert.deepEqual([data.content_drafts[0].title, data.content_drafts.length], ['a title to come', 1]);
      assert.deepEqual(data.totp, [{ created_at: at, confirmed_at: at }]);
      assert.deepEqual(data.passkeys, [{ name: 'My phone', created_at: at }]);
      assert.equal(data.reserved_names[0].username, first.username);
      assert.deepEqual([data.email_links[0].kind, data.invitations[0].email], ['verify', 'new@stoa.example']);
      const sessions = data.sessions.map(
        (each: { scope?: string; name?: string }) => `${each.scope} ${each.name}`,
      );
      assert.deepEqual(sessions.sort(), ['read nightly', 'undefined undefined']);
      assert.deepEqual(data.known_devices, [{ seen_at: at }]);
      assert.deepEqual(data.password_resets, [{ expires_at: new Date(NOW + 30 * MINUTE).toISOString() }]);
      const events = data.events.map(({ event }: { event: string }) => event);
      const [registered, signedIn, changed] = data.events;
      assert.deepEqual(events, [
        ...['registered', 'signed_in', 'role_changed', 'username_changed', 'personal_token_created'],
        ...['totp_enabled', 'recovery_codes_created', 'passkey_added', 'email_verification_requested'],
        ...['password_reset_requested', 'data_exported'],
      ]);
      assert.deepEqual([registered.address, signedIn.address], ['127.0.0.1', '127.0.0.1']);
      assert.ok(!('address' in changed) && !('session_id' in changed), 'those are of the admin');
      const text = JSON.stringify(answer.body);
      const rows = await place.sql(`SELECT s.token_hash, s.successor_sealed, p.token_hash AS of_program,
        u.password_hash, r.token_hash AS of_reset FROM sessions AS s JOIN users AS u ON u.id = s.user_id
        LEFT JOIN personal_tokens AS p ON p.session_id = s.id LEFT JOIN links AS r ON r.user_id = u.id
        WHERE u.id = ${id}`);
      const secrets = rows
        .flatMap((row) => Object.values(row))
        .filter((each) => each !== null && each !== '');
      assert.ok(secrets.length >= 7);
      for (const secret of [
        ...secrets,
        ofApp,
        ...recoveryCodes,
        program,
        next.token,
        next.refresh_token,
        other.username,
      ])
        assert.ok(!text.includes(String(secret)), String(secret));
    });

    it('The export of an account has every table that refers to an account, or says why it does not', async (t) => {
      const place = await newPlace(t);
      const told = PERSONAL_DATA.flatMap(({ sections }) => sections.flatMap(({ tables }) => tables));
      const tables = await tablesOfAccounts(place, name);
      for (const known of [
        'users',
        'sessions',
        'personal_tokens',
        'content',
        'audit_events',
        'known_devices',
      ])
        assert.ok(tables.includes(known), known);
      const missing = tables.filter((table) => !told.includes(table) && !(table in NOT_EXPORTED));
      assert.deepEqual(missing, []);
      assert.deepEqual(
        [...told, ...Object.keys(NOT_EXPORTED)].filter((table) => !tables.includes(table)),
        [],
      );
    });

    const engine = { name, settings: async (t: Lifetime) => ({ DATABASE_URL: (await newPlace(t)).url }) };
    describeInTurn(engine, 'of one service', (service) => {
      it('The export of an account has each mailed link in the section of its purpose only', async () => {
        const { url, sql } = service();
        const { id, token } = await newAccount(url);
        for (const purpose of ['reset_password', 'verify_email', 'change_email', 'revert_email', 'invite'])
          await sql(`INSERT INTO links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
          VALUES ('${purpose}', '${purpose}', ${id}, '${purpose}@a.example', '${purpose}@a.example',
            '{"role":"member","created_at":${NOW}}', ${NOW * 2})`);
        const { data } = (await call(url, 'GET', PATH, { token })).body;
        const invited = data.invitations.map(({ email }: { email: string }) => email);
        assert.deepEqual(invited, ['invite@a.example']);
        assert.equal(data.password_resets.length, 1);
        const kinds = data.email_links.map(({ kind }: { kind: string }) => kind);
        assert.deepEqual(kinds.sort(), ['change', 'revert', 'verify']);
      });

      it('The export of an account needs a recent sign-in, and is given ten times an hour', async () => {
        const { url, passTime } = service();
        const { token, username } = await newAccount(url);
        passTime(11 * MINUTE);
        assertFailure(await call(url, 'GET', PATH, { token }), 403, 'recent_sign_in_required');
        const again = await login(url, username);
        for (let each = 0; each < 10; each++)
          assert.equal((await call(url, 'GET', PATH, { token: again.token })).status, 200);
        assertFailure(await call(url, 'GET', PATH, { token: again.token }), 429, 'too_many_requests');
      });

      it('The export of an account has each session and each event once over several pages', async () => {
        const { url, sql } = service();
        const { id, token } = await newAccount(url);
        const many = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)';
        await sql(
          `INSERT INTO sessions (id, user_id, token_hash, created_at, rotated_at, idle_expires_at, absolute_expires_at, device)
          ${many} SELECT 'id' || i, ${id}, '', ${NOW}, ${NOW}, ${NOW * 2}, ${NOW * 2}, 'device ' || i FROM n`,
          `INSERT INTO audit_events (at, event, account_id, detail)
          ${many} SELECT ${NOW} + i, 'signed_out', ${id}, '{}' FROM n`,
        );
        const { data } = (await call(url, 'GET', PATH, { token })).body;
        const devices = data.sessions.map(({ device }: { device?: string }) => device);
        const added = devices.filter((device?: string) => device?.startsWith('device '));
        assert.deepEqual([added.length, new Set(added).size, devices.length], [450, 450, 451]);
        const times = data.events
          .filter(({ event }: { event: string }) => event === 'signed_out')
          .map(({ at }: { at: string }) => Date.parse(at));
        assert.deepEqual(
          times,
          Array.from({ length: 450 }, (_, index) => NOW + index + 1),
        );
      });

      it('The export of an account says when it was closed and restored, and is refused while it is closed', async () => {
        const { url } = service();
        const { username, token } = await newAccount(url);
        const program = await newPersonalToken(url, { token });
        assert.equal((await call(url, 'DELETE', '/api/users/me', { token })).status, 200);
        for (const each of [token, program])
          assertFailure(await call(url, 'GET', PATH, { token: each }), 401, 'token_revoked');
        const body = { username, password: PASSWORD };
        assert.equal((await call(url, 'POST', '/api/auth/restore', { body })).status, 200);
        const again = await login(url, username);
        const { data } = (await call(url, 'GET', PATH, { token: again.token })).body;
        const events = data.events.map(({ event }: { event: string }) => event);
        assert.deepEqual(events.slice(-4), [
          'account_closed',
          'account_restored',
          'signed_in',
          'data_exported',
        ]);
        assert.equal(data.sessions.length, 3);
      });
    });

    it('The export of an account is made one page a turn, so others are served meanwhile', async (t) => {
      const place = await newPlace(t);
      let [pages, pagesOfTurn, most] = [0, 0, 0];
      const tell = () => {
        pages++;
        most = Math.max(most, ++pagesOfTurn);
      };
      const settings = async () => ({ DATABASE_URL: place.url });
      const wrap = (store: Store) => countingPages(store, tell);
      const { url } = await startService(t, { name, settings }, {}, { wrap });
      const { id, token } = await newAccount(url);
      const count = 600;
      await place.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        INSERT INTO content (author_id, title, content, category, tags, version, visible, created_at, updated_at)
        SELECT ${id}, 't', 'x', '', '[]', 1, i % 2, 0, 0 FROM n`);

      const refused = await call(url, 'HEAD', PATH, { token, undocumented: true });
      assert.deepEqual([refused.status, refused.headers.get('allow'), pages], [405, 'GET', 0]);
      const recorded = `SELECT id FROM audit_events WHERE event = 'data_exported'`;
      assert.deepEqual(await place.sql(recorded), []);

      let isOver = false;
      const exported = call(url, 'GET', PATH, { token }).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        pagesOfTurn = 0;
        await turnOfLoop();
      }
      const ids = (await exported).body.data.content.map((item: { id: number }) => item.id);
      assert.deepEqual([ids.length, new Set(ids).size], [count, count]);
      assert.ok(pages >= count / 50, `${pages} pages`);
      assert.equal(most, 1, 'pages in one turn');
    });

    it('The export of an account waits for its client, and a client that reads nothing is disconnected', async (t) => {
      const place = await newPlace(t);
      let pages = 0;
      const counting = (store: Store) => countingPages(store, () => void pages++);
      const settings = async () => ({ DATABASE_URL: place.url });
      const { url, server } = await startService(t, { name, settings }, {}, { wrap: counting });
      const ended = new Map<number | undefined, Promise<unknown>>();
      server.on('connection', (socket: Socket) => ended.set(socket.remotePort, once(socket, 'close')));
      const account = await newAccount(url);
      const count = 24;
      const text =
        name === 'SQLite'
          ? `replace(hex(zeroblob(${MEBIBYTE / 2})), '00', 'xx')`
          : `repeat('x', ${MEBIBYTE})`;
      // Hidden, so that nobody makes the words of 24 MiB meanwhile.
      await place.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        INSERT INTO content (author_id, title, content, category, tags, version, visible, created_at, updated_at)
        SELECT ${account.id}, 't', ${text}, '', '[]', 1, 0, 0, 0 FROM n`);

      const whole = await slowRead(url, account, async () => {
        // It stands still when two looks see the same.
        for (let seen = -1; seen !== pages; await pause(300)) seen = pages;
        assert.ok(pages < count, `${pages} pages were read for a client that reads nothing`);
      });
      assert.equal(JSON.parse(whole).data.content.length, count);
      assert.equal(pages, count + 1, 'one more looks for items that everybody may see');

      const { unreadTimeout } = LIMITS;
      t.after(() => Object.assign(LIMITS, { unreadTimeout }));
      Object.assign(LIMITS, { unreadTimeout: 200 });
      await assert.rejects(
        slowRead(url, account, async (port) => {
          const end = ended.get(port);
          assert.ok(end, `no connection of port ${port}`);
          await end;
        }),
        /aborted|ECONNRESET|hang up/,
      );
    });
  });

/** The store, which tells each page of content that an export reads, at the moment when it reads it. */
function countingPages(store: Store, tell: () => void): Store {
  return new Proxy(store, {
    get: (target, member) => {
      const value = Reflect.get(target, member);
      if (member !== 'read') return typeof value === 'function' ? value.bind(target) : value;
      return (operation: Parameters<Store['read']>[0], input: never) => {
        if (operation.name === 'content.export') tell();
        return target.read(operation, input);
      };
    },
  });
}

/** Reads nothing until `meanwhile` is done, which gets the port of the client, and then everything. */
async function slowRead(
  url: string,
  account: Account,
  meanwhile: (port: number | undefined) => Promise<void>,
): Promise<string> {
  for (;;) {
    const text = await trySlowRead(url, account, meanwhile);
    if (text !== undefined) return text;
    // Each try counts as an export, and there are ten.
    await pause(1_000);
  }
}

/** Undefined where a busy machine made the service answer 503. */
function trySlowRead(
  url: string,
  { token }: Account,
  meanwhile: (port: number | undefined) => Promise<void>,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    // A connection of its own, so that no time limit of an earlier answer is left on it.
    const asked = request(url + PATH, { headers, agent: false }, async (response) => {
      if (response.statusCode === 503) {
        response.resume().once('end', () => resolve(undefined));
        return;
      }
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`The export was answered with ${response.statusCode}.`));
        return;
      }
      const chunks: Buffer[] = [];
      response.on('error', reject).on('end', () => resolve(Buffer.concat(chunks).toString()));
      try {
        await meanwhile(response.socket.localPort);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
      } catch (error) {
        reject(error);
      }
    });
    asked.on('error', reject).end();
  });
}

/** Tables that a move carries and that refer to an account, by a reference (through others too) or by a name of theirs. */
async function tablesOfAccounts(place: Place, engine: string): Promise<string[]> {
  const references = await place.sql(
    engine === 'SQLite'
      ? `SELECT m.name AS child, f."table" AS parent FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
          WHERE m.type = 'table'`
      : `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint
          WHERE contype = 'f'`,
  );
  const columns = await place.sql(
    engine === 'SQLite'
      ? `SELECT m.name AS child, p.name AS name FROM sqlite_schema AS m, pragma_table_info(m.name) AS p
          WHERE m.type = 'table'`
      : `SELECT table_name AS child, column_name AS name FROM information_schema.columns
          WHERE table_schema = 'public'`,
  );
  const found = new Set(['users']);
  for (const { child, name } of columns) if (ACCOUNT_ID.test(String(name))) found.add(String(child));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { child, parent } of references) if (found.has(String(parent))) found.add(String(child));
  }
  return [...found].filter((table) => TABLES.carried.includes(table));
}

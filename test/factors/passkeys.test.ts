import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { isEd25519Key } from '../../src/factors/passkeys/ed25519.ts';
import { relyingPartyOf } from '../../src/factors/passkeys/relying-party.ts';
import { readOperation } from '../../src/store/operation.ts';
import { Authenticator, cbor, type Mischief, SITE } from '../support/authenticator.ts';
import { call, login, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { linksOf } from '../support/list.ts';
import { startMailServer } from '../support/mail-server.ts';
import { creationOptions, keep, newPasskey, PASSKEYS, passkeyLogin, register } from '../support/passkeys.ts';
import { newWithRole } from '../support/people.ts';
import { PLACES } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const SETTINGS = { PUBLIC_URL: SITE.origin };
const REFUSED = { field: 'response', rule: 'passkey' };

const rowsOfPasskeys = readOperation('test.rows_of_passkeys', async (db, userId: number) =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).execute(),
);

onEveryEngine('Passkeys', (engine) => {
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('A passkey is requested for a random name, for this site only, and not where one exists', async () => {
        const { url } = service();
        const [{ token, username }, other] = [await newAccount(url), await newAccount(url)];
        const first = await creationOptions(url, token);
        const { challenge, user, ...rest } = first;
        assert.deepEqual(rest, {
          rp: { id: 'stoa.example', name: 'stoa.example' },
          pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
          timeout: 5 * MINUTE,
          excludeCredentials: [],
          authenticatorSelection: {
            residentKey: 'required',
            requireResidentKey: true,
            userVerification: 'required',
          },
          attestation: 'none',
        });
        assert.deepEqual([user.name, user.displayName], [username, username]);
        assert.equal(Buffer.from(user.id, 'base64url').length, 32);
        const { authenticator } = await newPasskey(url, { token });
        const second = await creationOptions(url, token);
        assert.equal(second.user.id, user.id);
        assert.notEqual(second.challenge, challenge);
        assert.deepEqual(second.excludeCredentials, [
          { type: 'public-key', id: authenticator.credentialId, transports: ['internal', 'hybrid'] },
        ]);
        assert.notEqual((await creationOptions(url, other.token)).user.id, user.id);
      });

      it('A passkey is listed with its name and times, newest first, only to its owner', async () => {
        const { url } = service();
        const [{ token }, other] = [await newAccount(url), await newAccount(url)];
        const options = await creationOptions(url, token);
        const made = (await keep(url, token, new Authenticator().create(options), 'Ada’s phone 📱')).body
          .data;
        assert.deepEqual(Object.keys(made), ['id', 'name', 'created_at']);
        const { authenticator, id } = await newPasskey(url, { token });
        const list = async (by: string) => (await call(url, 'GET', PASSKEYS, { token: by })).body.data.items;
        const [newest, oldest] = await list(token);
        assert.deepEqual([newest.id, oldest], [id, made]);
        assert.equal(newest.last_used_at, undefined);
        await passkeyLogin(url, authenticator);
        const [used] = await list(token);
        assert.ok(used.last_used_at >= used.created_at);
        assert.deepEqual(await list(other.token), []);
      });

      it('Passkeys are listed on pages with an exact total, and renamed only by their owner', async () => {
        const { url } = service();
        const [owner, other] = [await newAccount(url), await newAccount(url)];
        const made = [
          await newPasskey(url, owner),
          await newPasskey(url, owner),
          await newPasskey(url, owner),
        ];
        const page = async (query: string) => call(url, 'GET', `${PASSKEYS}${query}`, { token: owner.token });
        const [first, second] = [await page('?per_page=2'), await page('?per_page=2&page=2')];
        const { items: _, ...rest } = first.body.data;
        assert.deepEqual(rest, { total: 3, page: 1, per_page: 2 });
        const ids = [first, second].flatMap(({ body }) =>
          body.data.items.map(({ id }: { id: string }) => id),
        );
        assert.deepEqual(ids.toSorted(), made.map(({ id }) => id).toSorted());
        assert.equal(linksOf(first.headers).next, `${PASSKEYS}?per_page=2&page=2`);
        assertFailure(await page('?per_page=0'), 400, 'validation_failed', { field: 'per_page' });

        const { id = '', authenticator } = made[0] ?? assert.fail();
        const put = (token: string, name: string) =>
          call(url, 'PUT', `${PASSKEYS}/${id}`, { token, body: { name } });
        const renamed = await put(owner.token, 'My key');
        assert.deepEqual([renamed.status, renamed.body.data.id, renamed.body.data.name], [200, id, 'My key']);
        assertFailure(await put(other.token, 'Mine now'), 404, 'not_found');
        const { items } = (await page('')).body.data;
        assert.equal(items.find((each: { id: string }) => each.id === id).name, 'My key');
        assert.equal((await passkeyLogin(url, authenticator)).status, 200);
      });

      const mischiefs: Record<string, Mischief> = {
        'on a page of another site': { origin: 'https://evil.example' },
        'for another site': { rpId: 'evil.example' },
        'without a verified user': { isVerified: false },
        'without a user': { isPresent: false },
        'in a frame of another site': { crossOrigin: true },
        'as a use of one': { type: 'webauthn.get' },
        'with another id than its own': { credentialId: 'AAAA' },
        'with a key of another algorithm': {
          coseKey: cbor(
            new Map<number, number | Buffer>([
              [1, 2],
              [3, -35],
              [-1, 2],
              [-2, Buffer.alloc(48, 1)],
              [-3, Buffer.alloc(48, 1)],
            ]),
          ),
        },
        'with a key larger than any': {
          coseKey: cbor(
            new Map<number, number | Buffer>([
              [1, 3],
              [3, -257],
              [-1, Buffer.alloc(1024, 1)],
              [-2, Buffer.from([1, 0, 1])],
            ]),
          ),
        },
        'with what is no key': { coseKey: Buffer.alloc(1_000, 0x81) },
      };
      it('A passkey with a key that cannot be verified, or that anyone can sign for, is refused', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
        const point = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')] as const;
        const ec = (first: Buffer, second: number | Buffer, curve = 1) =>
          new Map([
            [1, 2],
            [3, -7],
            [-1, curve],
            [-2, first],
            [-3, second],
          ] as [number, number | Buffer][]);
        const ed = (bytes: Buffer, curve = 6) =>
          new Map([
            [1, 1],
            [3, -8],
            [-1, curve],
            [-2, bytes],
          ] as [number, number | Buffer][]);
        const rsa = (modulus: Buffer, exponent = Buffer.from([1, 0, 1])) =>
          new Map([
            [1, 3],
            [3, -257],
            [-1, modulus],
            [-2, exponent],
          ] as [number, number | Buffer][]);
        const odd = (bytes: number) => Buffer.alloc(bytes, 0xff);
        const bad = {
          'a point off P-256': ec(point[0], Buffer.from(point[1]).fill(7)),
          'a short coordinate': ec(point[0].subarray(1), point[1]),
          'a compressed point': ec(point[0], 1),
          'a point of another curve': ec(point[0], point[1], 2),
          'a point off Ed25519': ed(Buffer.from([2, ...Buffer.alloc(31)])),
          'a point of small order': ed(Buffer.alloc(32)),
          'another spelling of a point': ed(Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex')),
          'a key of X25519': ed(point[0], 4),
          'RSA of 2040 bits': rsa(odd(255)),
          'RSA of 4104 bits': rsa(odd(513)),
          'an even modulus': rsa(Buffer.alloc(256, 0xfe)),
          'a modulus with zeros in front': rsa(Buffer.concat([Buffer.alloc(8), odd(256)])),
          'the exponent one': rsa(odd(256), Buffer.from([1])),
          'a dear exponent': rsa(odd(256), odd(8)),
          'members of another algorithm': new Map([...ed(point[0]), [3, -7]] as [number, number | Buffer][]),
        };
        for (const [title, key] of Object.entries(bad)) {
          const answer = await register(url, account, new Authenticator(), { coseKey: cbor(key) });
          assert.equal(answer.status, 400, `${title}: ${JSON.stringify(answer.body)}`);
          assertFailure(answer, 400, 'validation_failed', REFUSED);
        }
        assert.equal((await call(url, 'GET', '/api/users/me', account)).body.data.second_factor, false);
      });

      it('A passkey that was made wrongly is refused', async () => {
        const { url } = service();
        const account = await newAccount(url);
        for (const [title, mischief] of Object.entries(mischiefs)) {
          const answer = await register(url, account, new Authenticator(), mischief);
          assert.equal(answer.status, 400, `${title}: ${JSON.stringify(answer.body)}`);
          assertFailure(answer, 400, 'validation_failed', REFUSED);
        }
        assert.deepEqual((await call(url, 'GET', PASSKEYS, { token: account.token })).body.data.items, []);
        assert.equal((await register(url, account, new Authenticator())).status, 200);
      });

      it('A passkey is added once for each challenge, and only in the session that asked', async () => {
        const { url } = service();
        const { username, token } = await newAccount(url);
        const options = await creationOptions(url, token);
        const make = () => new Authenticator().create(options);
        const elsewhere = await login(url, username);
        assertFailure(await keep(url, elsewhere.token, make()), 400, 'validation_failed', REFUSED);
        const answers = await Promise.all(Array.from({ length: 4 }, () => keep(url, token, make())));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
        assertFailure(await keep(url, token, make()), 400, 'validation_failed', REFUSED);
      });

      it('A passkey belongs to one account', async () => {
        const { url } = service();
        const [owner, other] = [await newAccount(url), await newAccount(url)];
        const { authenticator } = await newPasskey(url, owner);
        for (const account of [owner, other])
          assertFailure(await register(url, account, authenticator), 400, 'taken', { field: 'response' });
      });

      it('A passkey may claim any make, and nothing of that is stored', async () => {
        const { url, store } = service();
        const account = await newAccount(url);
        const attestation = {
          fmt: 'packed',
          attStmt: new Map<string, number | Buffer>([
            ['alg', -7],
            ['sig', Buffer.from('no signature')],
            ['x5c', Buffer.from('no certificate')],
          ]),
        };
        const answer = await register(url, account, new Authenticator(), { attestation });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        const [row] = await store.read(rowsOfPasskeys, account.id);
        assert.ok(row);
        assert.deepEqual(Object.keys(row).sort(), [
          'counter',
          'created_at',
          'credential_id',
          'id',
          'last_used_at',
          'name',
          'public_key',
          'transports',
          'user_id',
        ]);
      });

      it('A passkey may have an id of 1023 bytes and an RSA key of 2048 bits, and no longer member', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(
          url,
          account,
          new Authenticator('RS256', { idBytes: 1023 }),
        );
        assert.equal((await passkeyLogin(url, authenticator)).status, 200);
        const longer = new Authenticator('EdDSA', { idBytes: 1024 });
        assertFailure(await register(url, account, longer), 400, 'validation_failed', {
          field: 'response.id',
          rule: 'maxLength',
        });
        const good = new Authenticator().create(await creationOptions(url, account.token));
        for (const member of ['clientDataJSON', 'attestationObject']) {
          const response = { ...good.response, [member]: 'A'.repeat(4_000) };
          assertFailure(await keep(url, account.token, { ...good, response }), 400, 'validation_failed', {
            field: `response.response.${member}`,
            rule: 'maxLength',
          });
        }
        for (const name of ['', 'x'.repeat(101), 'a\nb', 'a\u202eb', 'a\u200db'])
          assertFailure(await keep(url, account.token, good, name), 400, 'validation_failed', {
            field: 'name',
          });
      });

      it('An account has 20 passkeys at most, also when many are added at once', async () => {
        const { url } = service();
        const [owner, other] = [await newAccount(url), await newAccount(url)];
        await newPasskey(url, owner);
        const made = await Promise.all(
          Array.from({ length: 24 }, () => register(url, owner, new Authenticator())),
        );
        assert.equal(made.filter(({ status }) => status === 200).length, 19);
        for (const answer of made) if (answer.status !== 200) assertFailure(answer, 400, 'limit_reached');
        assert.equal((await register(url, other, new Authenticator())).status, 200);
        const { id } = made.find(({ status }) => status === 200)?.body.data ?? {};
        assert.equal((await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token: owner.token })).status, 200);
        const more = async () => (await register(url, owner, new Authenticator())).status;
        assert.deepEqual([await more(), await more()], [200, 400]);
      });

      it('A passkey is removed only by its owner, and ends no session', async () => {
        const { url } = service();
        const [owner, other] = [await newAccount(url), await newAccount(url)];
        const second = await login(url, owner.username);
        const { id } = await newPasskey(url, owner);
        const remove = (token: string) => call(url, 'DELETE', `${PASSKEYS}/${id}`, { token });
        assertFailure(await remove(other.token), 404, 'not_found');
        assert.deepEqual((await remove(owner.token)).body.data, { id });
        assertFailure(await remove(owner.token), 404, 'not_found');
        for (const { token } of [owner, second])
          assert.equal((await call(url, 'GET', '/api/users/me', { token })).status, 200);
      });

      it('A passkey leaves an event when it is added and when it is removed, without its name', async () => {
        const { url } = service();
        const admin = await newWithRole(service(), 'admin');
        const owner = await newAccount(url);
        const { id } = await newPasskey(url, owner);
        await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token: owner.token });
        const path = `/api/audit?account=${owner.id}&per_page=2`;
        const { items } = (await call(url, 'GET', path, { token: admin.token })).body.data;
        const who = { id: owner.id, username: owner.username };
        assert.deepEqual(
          items.map((item: Record<string, unknown>) => [
            item.event,
            item.account,
            item.actor,
            item.session_id,
            item.detail,
          ]),
          ['passkey_removed', 'passkey_added'].map((event) => [
            event,
            who,
            who,
            sessionIdOf(owner.token),
            {},
          ]),
        );
      });
    },
    SETTINGS,
  );

  it('A passkey is added and removed only with a recent sign-in', async (t) => {
    const { url, passTime } = await startService(t, engine, SETTINGS, { clock: () => NOW });
    const account = await newAccount(url);
    const { id } = await newPasskey(url, account);
    const options = await creationOptions(url, account.token);
    passTime(5 * MINUTE);
    const late = new Authenticator().create(options);
    assertFailure(await keep(url, account.token, late), 400, 'validation_failed', REFUSED);
    passTime(5 * MINUTE - 1);
    const fresh = new Authenticator().create(await creationOptions(url, account.token));
    passTime(1);
    for (const answer of [
      await call(url, 'POST', `${PASSKEYS}/options`, { token: account.token }),
      await keep(url, account.token, fresh),
      await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token: account.token }),
    ])
      assertFailure(answer, 403, 'recent_sign_in_required');
  });

  it('The owner is notified by mail when a passkey is added or removed', async (t) => {
    const server = await startMailServer(t);
    const { url } = await startService(t, engine, server.settings);
    const account = await newAccount(url);
    const { id } = await newPasskey(url, account);
    const { token } = account;
    const told = async (subject: string) => {
      const mail = await server.next();
      assert.deepEqual([mail.to, mail.subject], [[account.email], subject]);
      assert.ok(mail.text.startsWith(`Hello ${account.username},\n`), mail.text);
    };
    await told('A passkey was added to your account');
    assert.equal((await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token })).status, 200);
    await told('A passkey was removed from your account');
  });

  it('Passkeys without a PUBLIC_URL are refused with a sentence that says so', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const some = new Authenticator().create({ challenge: 'none', user: { id: 'AAAA' } });
    for (const answer of [
      await call(url, 'POST', `${PASSKEYS}/options`, { token }),
      await keep(url, token, some),
      await call(url, 'POST', '/api/auth/login/passkey/options'),
      await passkeyLoginOf(url),
    ]) {
      assertFailure(answer, 403, 'no_passkeys');
      assert.match(answer.body.message ?? '', /Its operator has to set PUBLIC_URL/);
    }
    assert.deepEqual((await call(url, 'GET', PASSKEYS, { token })).body.data.items, []);
  });
});

function passkeyLoginOf(url: string) {
  const response = new Authenticator().get({ challenge: 'none' });
  return call(url, 'POST', '/api/auth/login/passkey', { body: { response } });
}

for (const place of PLACES)
  describe(`The passkeys of a deleted account, on ${place.name}`, () => {
    it('The passkeys of an account are deleted with it', async (t) => {
      const { url: database, sql } = await place.newPlace(t);
      const engine = { name: place.name, settings: async () => ({ DATABASE_URL: database }) };
      const { url } = await startService(t, engine, SETTINGS);
      const [account, other] = [await newAccount(url), await newAccount(url)];
      for (const { token } of [account, other]) await newPasskey(url, { token });
      const count = async (table: string) =>
        Number((await sql(`SELECT count(*) AS count FROM ${table}`))[0]?.count);
      assert.deepEqual([await count('passkeys'), await count('passkey_owners')], [2, 2]);
      await sql(`DELETE FROM users WHERE id = ${account.id}`);
      assert.deepEqual([await count('passkeys'), await count('passkey_owners')], [1, 1]);
    });
  });

describe('Keys of Ed25519', () => {
  it('A key of Ed25519 that was made properly is accepted', () => {
    for (let each = 0; each < 32; each++) {
      const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      assert.equal(isEd25519Key(Buffer.from(x, 'base64url')), true, x);
    }
  });

  it('A key of Ed25519 at one of the eight points of small order is refused', () => {
    const eighth = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05';
    const other = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a';
    const negative = (hex: string) => {
      const bytes = Buffer.from(hex, 'hex');
      bytes[31] = (bytes[31] ?? 0) | 0x80;
      return bytes.toString('hex');
    };
    const [zero, one, last] = ['00'.repeat(32), `01${'00'.repeat(31)}`, `ec${'ff'.repeat(30)}7f`];
    for (const hex of [zero, negative(zero), one, last, eighth, negative(eighth), other, negative(other)])
      assert.equal(isEd25519Key(Buffer.from(hex, 'hex')), false, hex);
  });
});

describe('The relying party of passkeys', () => {
  it('The relying party is the host of PUBLIC_URL, and its pages include those of CORS_ORIGINS', () => {
    assert.deepEqual(relyingPartyOf('https://id.example.org:8443/stoa', ['https://app.example.org']), {
      id: 'id.example.org',
      origins: ['https://id.example.org:8443', 'https://app.example.org'],
    });
    assert.deepEqual(relyingPartyOf('http://localhost:8080', []), {
      id: 'localhost',
      origins: ['http://localhost:8080'],
    });
    for (const none of [undefined, 'http://stoa.example', 'https://192.0.2.1', 'https://[2001:db8::1]'])
      assert.equal(relyingPartyOf(none, []), undefined);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashSync as bcrypt } from 'bcryptjs';
import { disableAccount } from '../../src/accounts/administer.ts';
import { Thread } from '../../src/domain/thread.ts';
import { normalised } from '../../src/http/nfc.ts';
import { refusalOfHash, verifyHash } from '../../src/passwords/hashing/formats/formats.ts';
import { isOutdated, NOBODYS_HASH } from '../../src/passwords/hashing/parameters.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { exportAccounts } from '../../src/transfer/accounts/export.ts';
import { call, login, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { FOREIGN_FORMATS, foreignHash } from '../support/foreign-hashes.ts';
import { watchHashing } from '../support/hashing-jobs.ts';
import { mailLink, reset } from '../support/mail.ts';
import { importInto, newWithRole } from '../support/people.ts';
import { describeOnService } from '../support/suite.ts';

/** The jobs that this process sent to its hashing threads, by message. */
const sent = watchHashing();

/** Published by those who made the formats, each with its password. */
const PUBLISHED = {
  // crypt_blowfish, wrapper.c
  'bcrypt $2a$': ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  'bcrypt $2y$': ['U*U*U', '$2y$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  // passlib, documentation of each hash
  'scrypt of passlib': [
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  'PBKDF2 of passlib': [
    'password',
    '$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
  ],
  // phc-winner-argon2, src/test.c
  'argon2i of version 1.0': [
    'password',
    '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
  ],
  'argon2i of version 1.3': [
    'password',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  ],
  argon2id: [
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
} as const;

/** 8, 16 and 32 bytes. */
const [SALT, SHORT, DIGEST] = ['c29tZXNhbHQ', 'A'.repeat(22), `${'A'.repeat(42)}A`];
const BCRYPT = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

/** The dearest that each format may be, and what would be dearer. */
const DEAREST = [
  [`$2b$13$${BCRYPT}`, `$2b$14$${BCRYPT}`],
  [`$scrypt$ln=17,r=8,p=1$${SALT}$${DIGEST}`, `$scrypt$ln=18,r=8,p=1$${SALT}$${DIGEST}`],
  [`$scrypt$ln=14,r=8,p=8$${SALT}$${DIGEST}`, `$scrypt$ln=14,r=8,p=9$${SALT}$${DIGEST}`],
  [`$pbkdf2-sha256$i=2000000$${SALT}$${DIGEST}`, `$pbkdf2-sha256$i=2000001$${SALT}$${DIGEST}`],
  [`pbkdf2_sha256$2000000$salt$${DIGEST}=`, `pbkdf2_sha256$2000001$salt$${DIGEST}=`],
  [`$pbkdf2-sha512$i=1000000$${SALT}$${DIGEST}`, `$pbkdf2-sha512$i=1000001$${SALT}$${DIGEST}`],
  [`$argon2id$v=19$m=131072,t=4,p=1$${SALT}$${DIGEST}`, `$argon2id$v=19$m=131072,t=5,p=1$${SALT}$${DIGEST}`],
  [`$argon2d$v=19$m=131072,t=1,p=1$${SALT}$${DIGEST}`, `$argon2d$v=19$m=131080,t=1,p=1$${SALT}$${DIGEST}`],
  [`$argon2i$v=19$m=256,t=1,p=16$${SALT}$${DIGEST}`, `$argon2i$v=19$m=256,t=1,p=17$${SALT}$${DIGEST}`],
  // A digest of two blocks costs each iteration twice.
  [
    `$pbkdf2-sha256$i=1000000$${SALT}$${'A'.repeat(86)}`,
    `$pbkdf2-sha256$i=1000001$${SALT}$${'A'.repeat(86)}`,
  ],
] as const;

const NO_HASHES = {
  nothing: '',
  'a password': 'correct horse battery',
  'SHA-256': '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
  'SHA-512 crypt':
    '$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/',
  'bcrypt of the version with a bug': `$2x$05$${BCRYPT}`,
  'bcrypt without a cost': `$2b$03$${BCRYPT}`,
  'bcrypt that was cut': `$2b$05$${BCRYPT.slice(0, -1)}`,
  'bcrypt with bits that nobody writes': `$2b$05$${BCRYPT.slice(0, -1)}X`,
  'scrypt with more rounds than its blocks allow': `$scrypt$ln=16,r=1,p=1$${SALT}$${DIGEST}`,
  'scrypt without rounds': `$scrypt$ln=0,r=8,p=1$${SALT}$${DIGEST}`,
  'PBKDF2 without iterations': `$pbkdf2-sha256$i=0$${SALT}$${DIGEST}`,
  'PBKDF2 by MD5': `$pbkdf2-md5$i=1000$${SALT}$${DIGEST}`,
  'PBKDF2 of another length than it says': `$pbkdf2-sha256$i=1000,l=31$${SALT}$${DIGEST}`,
  'PBKDF2 of Django that was cut': `pbkdf2_sha256$1000$salt$${DIGEST.slice(0, -2)}`,
  'a digest of so few bytes that others have it': `$scrypt$ln=4,r=8,p=1$${SALT}$${SHORT.slice(0, 20)}`,
  'a salt of no bytes': `$argon2id$v=19$m=64,t=1,p=1$$${DIGEST}`,
  'base64 with bits that nobody writes': `$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHR$${DIGEST}`,
  'base64 for URLs': `$scrypt$ln=4,r=8,p=1$${SALT}$${'_'.repeat(43)}`,
  'argon2 with less memory than its lanes need': `$argon2id$v=19$m=8,t=1,p=2$${SALT}$${DIGEST}`,
  'argon2 of no version': `$argon2id$v=17$m=64,t=1,p=1$${SALT}$${DIGEST}`,
  'argon2 with a number in another spelling': `$argon2id$v=19$m=064,t=1,p=1$${SALT}$${DIGEST}`,
} as const;

describe('Imported password hashes', { concurrency: true }, () => {
  for (const [name, [password, hash]] of Object.entries(PUBLISHED)) {
    it(`An imported hash of ${name} verifies its published password and no other`, () => {
      assert.equal(refusalOfHash(hash), undefined);
      assert.deepEqual([verifyHash(hash, password), verifyHash(hash, `${password}.`)], [true, false]);
    });
  }

  for (const [dearest, dearer] of DEAREST) {
    it(`An imported hash may cost as much as ${dearest.slice(0, 32)}, and no more`, () => {
      assert.equal(refusalOfHash(dearest), undefined);
      assert.match(refusalOfHash(dearer) ?? '', /takes more work than a sign-in may/);
    });
  }

  for (const [name, text] of Object.entries(NO_HASHES)) {
    it(`An imported hash that is ${name} is refused`, () => {
      assert.match(refusalOfHash(text) ?? '', /^must be a hash/);
      assert.throws(() => verifyHash(text, 'password'), /of no known format/);
    });
  }

  it('An imported hash is verified by itself, so that no other sign-in shares its time', async (t) => {
    const pool = new HashingPool(1, new URL('../support/forging-hashing-thread.ts', import.meta.url));
    t.after(() => pool.close());
    const [ours, foreign] = [NOBODYS_HASH, foreignHash('bcrypt')];
    const hashes = [ours, ours, ours, foreign, ours, ours, ours, ours];
    const password = 'a password of this test alone';
    await Promise.all(hashes.map((hash) => pool.verify(hash, password)));
    const messages = sent.filter(([job]) => job?.password === password);
    assert.deepEqual(
      messages.map(({ length }) => length),
      [1, 1, 1, 1, 4],
    );
  });

  it('A password is tried as it was sent on imported hashes only, so that all other names take as long as before', async (t) => {
    const pool = new HashingPool(1, new URL('../support/forging-hashing-thread.ts', import.meta.url));
    t.after(() => pool.close());
    const [password, asSent] = ['a café of this test alone', 'a cafe\u0301 of this test alone'];
    const foreign = foreignHash('bcrypt');
    for (const hash of [NOBODYS_HASH, foreign])
      await pool.verify(hash, asSent, { source: 's', isKnown: false });
    const jobs = sent.flat().filter((job) => job.password === password);
    assert.deepEqual(
      jobs.map(({ hash, asSent: other }) => [hash, other]),
      [
        [NOBODYS_HASH, undefined],
        [foreign, asSent],
      ],
    );
  });

  it('No route makes a password NFC before its hash is verified', () => {
    assert.throws(() => normalised('username', 'current_password'), /leaves current_password as it was sent/);
  });

  it('A hash that is verified together with an imported one is really verified', async (t) => {
    const module = new URL('../../src/passwords/hashing/hashing-thread.ts', import.meta.url);
    const thread = new Thread(module, { limit: 1 });
    t.after(() => thread.close());
    const job = { kind: 'verify', hash: foreignHash('bcrypt'), password: PASSWORD, beside: 'no hash' };
    await assert.rejects(thread.call(job), /of no known format/);
  });
});

onEveryEngine('Imported accounts', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      for (const format of FOREIGN_FORMATS) {
        it(`An imported account signs in with its ${format} hash only, and then has a hash of ours`, async () => {
          const [username, foreign] = [newName(), foreignHash(format)];
          const { url, store } = service();
          const account = { username, passwordHash: foreign };
          assert.deepEqual(await importInto(store, [account]), ['new']);
          const wrong = { username, password: 'wrong password' };
          assertFailure(await call(url, 'POST', '/api/auth/login', { body: wrong }), 401, 'bad_credentials');
          const hash = async () => {
            const accounts = await store.read(exportAccounts, { after: 0, limit: 1_000, now: Date.now() });
            return accounts.find((each) => each.username === username)?.passwordHash;
          };
          assert.equal(await hash(), foreign, 'a wrong password changes nothing');
          await login(url, username);
          assert.ok(!isOutdated((await hash()) ?? ''), 'the hash is one of ours now');
          await login(url, username);
        });
      }

      it('An imported bcrypt hash stays where bcrypt did not read all of the password, so that no wrong one is stored', async () => {
        const { url, store } = service();
        const statusOf = async (username: string, password: string) =>
          (await call(url, 'POST', '/api/auth/login', { body: { username, password } })).status;
        // Two bytes for each character.
        for (const read of ['a'.repeat(72), 'é'.repeat(36)]) {
          const [right, wrong] = [`${read}RIGHT`, `${read}WRONG`];
          const username = newName();
          await importInto(store, [{ username, passwordHash: bcrypt(right, 4) }]);
          assert.deepEqual([await statusOf(username, wrong), await statusOf(username, right)], [200, 200]);
          const whole = newName();
          await importInto(store, [{ username: whole, passwordHash: bcrypt(read, 4) }]);
          assert.deepEqual([await statusOf(whole, read), await statusOf(whole, wrong)], [200, 401]);
        }
      });

      it('An imported hash of a decomposed password signs in who sends it decomposed, and then also composed', async () => {
        const { url, store } = service();
        const decomposed = 'cafe\u0301 de\u0301compose\u0301';
        const username = newName();
        await importInto(store, [{ username, passwordHash: bcrypt(decomposed, 4) }]);
        const statusOf = async (password: string) =>
          (await call(url, 'POST', '/api/auth/login', { body: { username, password } })).status;
        assert.equal(await statusOf(`${decomposed}.`), 401);
        assert.equal(await statusOf(decomposed), 200);
        assert.deepEqual([await statusOf(decomposed.normalize()), await statusOf(decomposed)], [200, 200]);
      });

      it('Each route that takes a current password finds a decomposed one in an imported hash that stays', async () => {
        const { url, store } = service();
        const decomposed = 'e\u0301'.repeat(30);
        const username = newName();
        await importInto(store, [{ username, passwordHash: bcrypt(decomposed, 4) }]);
        const post = (path: string, body: Record<string, string>, token?: string) =>
          call(url, 'POST', `/api/auth/${path}`, { body, token });
        const signIn = async () => (await post('login', { username, password: decomposed })).body.data.token;
        const me = { token: await signIn() };
        const { id } = (await call(url, 'GET', '/api/users/me', me)).body.data;
        assert.equal((await call(url, 'DELETE', '/api/users/me', me)).status, 200);
        assert.equal((await post('restore', { username, password: decomposed })).status, 200);

        const [{ token }, body] = [await newWithRole(service(), 'admin'), { must_change_password: true }];
        assert.equal((await call(url, 'PUT', `/api/users/${id}`, { token, body })).status, 200);
        const link = await mailLink(service(), id, Date.now());
        const same = { field: 'new_password', rule: 'new' };
        assertFailure(await reset(url, link, decomposed), 400, 'validation_failed', same);
        const given = { must_change_password: false };
        assert.equal((await call(url, 'PUT', `/api/users/${id}`, { token, body: given })).status, 200);

        const passwords = { current_password: decomposed, new_password: PASSWORD };
        assert.equal((await post('password', passwords, await signIn())).status, 200);
        await login(url, username);
      });

      it('An imported account that is disabled gets the answer of a wrong password', async () => {
        const username = newName();
        const { url, store } = service();
        await importInto(store, [{ username, passwordHash: foreignHash('scrypt') }]);
        await store.write(disableAccount, { account: username, now: Date.now() });
        const body = { username, password: PASSWORD };
        assertFailure(await call(url, 'POST', '/api/auth/login', { body }), 401, 'bad_credentials');
      });
    },
    { SMTP_URL: 'log' },
  ),
);

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freeNames } from '../../src/accounts/free-names.ts';
import { readOperation } from '../../src/store/operation.ts';
import { type Account, call, login, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { importInto, newPersonalToken } from '../support/people.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';

const DAY = 24 * 60 * 60 * 1000;
const KIB = 1024;

const rowsOfNames = readOperation('test.rows_of_names', async (db, userId: number) => ({
  reserved: await db
    .selectFrom('reserved_names')
    .select(['username_key', 'username'])
    .where('user_id', '=', userId)
    .orderBy('username_key')
    .execute(),
  skeletons: await db
    .selectFrom('username_skeletons')
    .select('skeleton')
    .where('user_id', '=', userId)
    .orderBy('skeleton')
    .execute(),
}));

const change = (url: string, { token }: Pick<Account, 'token'>, body: object | string) =>
  call(url, 'PUT', '/api/users/me', { token, body });

const me = (url: string, { token }: Pick<Account, 'token'>) => call(url, 'GET', '/api/users/me', { token });

function register(url: string, username: string) {
  const body = { username, email: `${newName()}@example.org`, password: PASSWORD };
  return call(url, 'POST', '/api/auth/register', { body });
}

/** A name that looks like another one with a Latin `a`, and is of one script as well. */
function lookAlikeOf(name: string): string {
  return name.replaceAll('a', '\u0251');
}

async function renamed(url: string, account: Account, username: string): Promise<void> {
  const { status, body } = await change(url, account, { username });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.data.username, username);
}

/** All reservations that have ended are gone when this resolves. */
async function freeAll({ store }: RunningService, now: number): Promise<void> {
  while (await store.write(freeNames, { now }));
}

onEveryEngine('The own account', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    it('An account shows its display name and profile only to its owner, and keeps what is not given', async () => {
      const { url } = service();
      const ada = await newAccount(url);
      const plain = (await me(url, ada)).body.data;
      assert.deepEqual(Object.keys(plain).sort(), [
        'created_at',
        'email',
        'email_verified',
        'id',
        'role',
        'second_factor',
        'username',
      ]);
      const profile = { theme: 'dark', list: [1, 1.5, -0.25, null, { deep: [true, ''] }], constructor: 1 };
      const steps: [object, object][] = [
        [{ display_name: 'Ada Lovelace' }, { display_name: 'Ada Lovelace' }],
        [{ profile }, { display_name: 'Ada Lovelace', profile }],
        [
          { display_name: 'Ａ\u0301da 👩\u200d👧 愛', profile: {} },
          { display_name: 'Ａ\u0301da 👩\u200d👧 愛', profile: {} },
        ],
        [{ display_name: null }, { profile: {} }],
        [
          { display_name: 'x'.repeat(50), username: ada.username },
          { display_name: 'x'.repeat(50), profile: {} },
        ],
        [{ display_name: '' }, { profile: {} }],
      ];
      for (const [body, expected] of steps) {
        const answer = await change(url, ada, body);
        assert.deepEqual(answer.body, { code: 200, data: { ...plain, ...expected } });
        assert.deepEqual((await me(url, ada)).body, answer.body);
      }
      await change(url, ada, { display_name: 'Mine', profile: { mine: 'alone' } });
      const other = await newAccount(url);
      const list = await call(url, 'GET', `/api/users?keyword=${ada.username}`, { token: other.token });
      const { id, username, email, created_at } = plain;
      assert.deepEqual(list.body.data.items, [{ id, username, email, created_at }]);
    });

    it('A display name is stored in NFC and has no invisible characters', async () => {
      const { url } = service();
      const ada = await newAccount(url);
      const { body } = await change(url, ada, { display_name: 'Zoe\u0308' });
      assert.equal(body.data.display_name, 'Zo\u00eb');
      const wrong = [
        'x'.repeat(51),
        'a\u200bb',
        'a\nb',
        'a\u0007',
        'a\u2028b',
        '\u3164',
        '\u2800',
        ' a',
        'a\u00a0',
      ];
      for (const display_name of [...wrong, 'a\u202eb', `a${'\u0301'.repeat(40)}`, '\ue000', 7, ['a'], {}]) {
        const refused = await change(url, ada, { display_name });
        assertFailure(refused, 400, 'validation_failed', { field: 'display_name' });
      }
      assert.match(
        (await change(url, ada, { display_name: 7 })).body.message ?? '',
        /must be a string or null\.$/,
      );
      assert.equal((await me(url, ada)).body.data.display_name, 'Zo\u00eb');
    });

    it('A profile refuses a number that JSON would give back as another one, and keeps all others', async () => {
      const { url } = service();
      const ada = await newAccount(url);
      const kept = { a: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 6e23, '12345678901234567890'] };
      assert.deepEqual((await change(url, ada, { profile: kept })).body.data.profile, kept);
      for (const number of ['-1e999', '12345678901234567890', '-9007199254740993']) {
        const answer = await change(url, ada, `{"profile":{"a":[${number}]}}`);
        assertFailure(answer, 400, 'validation_failed', { field: 'profile', rule: 'number' });
      }
      assert.deepEqual((await me(url, ada)).body.data.profile, kept);
    });

    it('A profile has at most 8 KiB as JSON, within the limits of all JSON', async () => {
      const { url } = service();
      const ada = await newAccount(url);
      const fits = { text: '\u00e9'.repeat((8 * KIB - '{"text":""}'.length) / 2), x: undefined };
      const size = (value: object) => Buffer.byteLength(JSON.stringify(value));
      fits.text += 'x'.repeat(8 * KIB - size(fits));
      assert.equal(size(fits), 8 * KIB);
      // Six bytes for each character of two.
      const escaped = JSON.stringify({ profile: fits }).replaceAll('\u00e9', '\\u00e9');
      assert.ok(escaped.length > 16 * KIB);
      assert.equal((await change(url, ada, escaped)).body.data?.profile?.text, fits.text);
      const deep = (depth: number) => `{"profile":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
      const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${index}`, 1]));
      for (const [body, error] of [
        [{ profile: { ...fits, text: `${fits.text}x` } }, 'validation_failed'],
        ['{"profile":{"a":1e400}}', 'validation_failed'],
        ['{"profile":{"a":[{"__proto__":1}]}}', 'validation_failed'],
        ['{"profile":{"a":1,"a":2}}', 'validation_failed'],
        ['{"profile":{"a":"\\ud800"}}', 'validation_failed'],
        ['{"profile":{"a":"\\u0000"}}', 'validation_failed'],
        [{ profile: [] }, 'validation_failed'],
        [{ profile: null }, 'validation_failed'],
        [{ profile: 'text' }, 'validation_failed'],
        [deep(16), 'malformed_request'],
        [{ profile: many }, 'malformed_request'],
        [{}, 'validation_failed'],
        [{ email: 'other@example.org', role: 'admin', id: 1 }, 'validation_failed'],
      ] as const)
        assertFailure(await change(url, ada, body), 400, error);
      assert.equal((await change(url, ada, deep(15))).status, 200);
      assert.equal((await change(url, ada, ' '.repeat(65 * KIB))).status, 413);
    });

    it('A new name is used by sign-in, search, lists and items, and the old one leads nowhere', async () => {
      const { url, passTime } = service();
      const ada = await newAccount(url);
      const { id: item } = await newItem(url, ada.token);
      const [old, next] = [ada.username, newName('Neu')];
      await renamed(url, ada, next);
      assert.equal((await me(url, ada)).body.data.username, next);
      const { body } = await call(url, 'GET', `/api/content/${item}`);
      assert.deepEqual(body.data.author, { id: ada.id, username: next });
      const found = async (keyword: string) =>
        (await call(url, 'GET', `/api/users?keyword=${keyword}`, { token: ada.token })).body.data.items.map(
          ({ username }: Account) => username,
        );
      assert.deepEqual(await found(next.toUpperCase()), [next]);
      // The address goes on as it was.
      assert.deepEqual(await found(`${old}@example`), [next]);
      const sign = (username: string) =>
        call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
      assert.equal((await sign(old)).status, 401);
      assert.deepEqual((await sign(next)).body.data.user, { id: ada.id, username: next });
      passTime(1_000);
      assert.equal((await newItem(url, ada.token)).author.username, next);
    });

    it('A change of the user name follows the rules of names at registration', async () => {
      const { url } = service();
      const [ada, bob] = [await newAccount(url, newName('ada')), await newAccount(url)];
      for (const username of ['ab', 'a b', '.dot', 'mixed\u0430', 7, null, bob.email])
        assertFailure(await change(url, ada, { username }), 400, 'validation_failed', { field: 'username' });
      for (const username of [bob.username, bob.username.toUpperCase()])
        assertFailure(await change(url, ada, { username }), 400, 'taken', {
          field: 'username',
          rule: 'unique',
        });
      const looks = await change(url, bob, { username: lookAlikeOf(ada.username) });
      assertFailure(looks, 400, 'taken', { field: 'username' });
      assert.match(looks.body.message ?? '', /^This user name looks like/);
      assert.deepEqual(
        [(await me(url, ada)).body.data.username, (await me(url, bob)).body.data.username],
        [ada.username, bob.username],
      );
    });

    it('An account changes the case of its name freely and reserves nothing by it', async () => {
      const { url, store } = service();
      const ada = await newAccount(url);
      await renamed(url, ada, ada.username.toUpperCase());
      assert.deepEqual(await store.read(rowsOfNames, ada.id), { reserved: [], skeletons: [] });
      // The letter looks like H, and the small one does not look like h.
      const bob = await newAccount(url, newName('\u041d\u0410').toUpperCase().replaceAll(/[A-Z]/g, '7'));
      const { skeletons: before } = await store.read(rowsOfNames, bob.id);
      await renamed(url, bob, bob.username.toLowerCase());
      const { reserved, skeletons } = await store.read(rowsOfNames, bob.id);
      assert.deepEqual([reserved, before.length, skeletons.length], [[], 1, 1]);
      assert.notDeepEqual(skeletons, before);
    });

    it('A personal access token cannot change the account', async () => {
      const { url } = service();
      const ada = await newAccount(url);
      const token = await newPersonalToken(url, ada);
      assertFailure(await change(url, { token }, { display_name: 'x' }), 401, 'token_invalid');
    });

    it('A name that an account gave up is refused to everybody else in any spelling or look', async () => {
      const { url, store } = service();
      const [ada, bob] = [await newAccount(url, newName('ada')), await newAccount(url)];
      const old = ada.username;
      await renamed(url, ada, newName());
      for (const spelling of [old, old.toUpperCase(), lookAlikeOf(old)]) {
        assertFailure(await register(url, spelling), 400, 'taken', { field: 'username', rule: 'unique' });
        assertFailure(await change(url, bob, { username: spelling }), 400, 'taken', { field: 'username' });
        const [outcome] = await importInto(store, [
          { username: spelling, email: `${newName()}@example.org`, passwordHash: 'x' },
        ]);
        assert.match(JSON.stringify(outcome), /^\{"refusal":"This user name (is taken|looks like)/);
      }
      const { body } = await call(url, 'GET', `/api/users?keyword=${old}`, { token: bob.token });
      assert.deepEqual(
        body.data.items.map(({ id }: Account) => id),
        [ada.id],
        'by the address of its former owner alone',
      );
      await renamed(url, ada, old);
      await renamed(url, ada, newName());
      assertFailure(await register(url, old), 400, 'taken', { field: 'username' });
    });

    it('A name beyond ASCII keeps its look-alikes reserved until its owner takes it back', async () => {
      const { url, store } = service();
      const latin = newName('ada');
      const greekish = lookAlikeOf(latin);
      const ada = await newAccount(url);
      await renamed(url, ada, greekish);
      await renamed(url, ada, newName());
      for (const spelling of [greekish, latin])
        assertFailure(await register(url, spelling), 400, 'taken', { field: 'username' });
      // What looks like the own former name is the owner's.
      await renamed(url, ada, latin);
      assertFailure(await register(url, latin.replace('0', 'o').replace('1', 'l')), 400, 'taken');
      await renamed(url, ada, greekish);
      const { reserved, skeletons } = await store.read(rowsOfNames, ada.id);
      assert.ok(!reserved.some(({ username_key }) => username_key === greekish));
      assert.equal(skeletons.length, 1);
    });
  });

  describeInTurn(engine, 'as time passes', (service) => {
    it('A change of the user name needs a recent sign-in, and other changes need only a living session', async () => {
      const { url, passTime } = service();
      const ada = await newAccount(url);
      passTime(10 * 60_000);
      assertFailure(await change(url, ada, { username: newName() }), 403, 'recent_sign_in_required');
      assert.equal((await me(url, ada)).body.data.username, ada.username);
      const both = { username: newName(), display_name: 'Ada' };
      assertFailure(await change(url, ada, both), 403, 'recent_sign_in_required');
      assert.ok(!('display_name' in (await me(url, ada)).body.data), 'all of a change or nothing');
      assert.equal((await change(url, ada, { username: ada.username, display_name: 'Ada' })).status, 200);
      const again = { ...ada, ...(await login(url, ada.username)) };
      await renamed(url, again, newName());
      await call(url, 'POST', '/api/auth/logout', { token: again.token });
      assertFailure(await change(url, again, { display_name: 'Gone' }), 401, 'token_revoked');
    });

    it('An account changes its name five times at once, then every six days, and refusals do not count', async () => {
      const { url, passTime } = service();
      const [ada, bob] = [await newAccount(url), await newAccount(url)];
      for (let each = 0; each < 5; each++) {
        assertFailure(await change(url, ada, { username: bob.username }), 400, 'taken');
        await renamed(url, ada, newName());
      }
      const refused = await change(url, ada, { username: newName() });
      assertFailure(refused, 429, 'too_many_requests');
      const wait = Number(refused.headers.get('retry-after')) * 1000;
      assert.ok(wait > 5 * DAY && wait <= 6 * DAY, String(wait));
      const { username } = (await me(url, ada)).body.data;
      passTime(6 * DAY);
      const later = { ...ada, ...(await login(url, username)) };
      await renamed(url, later, newName());
      assertFailure(await change(url, later, { username: newName() }), 429, 'too_many_requests');
      assert.equal((await change(url, later, { display_name: 'Ada' })).status, 200);
    });

    it('A name that was given up is free after 30 days with its look-alikes, and not before', async () => {
      const { url, store, now } = service();
      const start = now();
      const [ascii, beyond] = ['adalovelace', 'b\u0251b'];
      const [ada, bob] = [await newAccount(url, ascii), await newAccount(url, beyond)];
      await renamed(url, ada, 'countess');
      await renamed(url, bob, 'robert');
      await freeAll(service(), start + 30 * DAY - 1);
      for (const name of [ascii, beyond, 'bab']) assertFailure(await register(url, name), 400, 'taken');
      await freeAll(service(), start + 30 * DAY);
      for (const { id } of [ada, bob])
        assert.deepEqual(await store.read(rowsOfNames, id), { reserved: [], skeletons: [] });
      for (const name of [ascii, 'bab']) assert.equal((await register(url, name)).status, 200, name);
      assertFailure(await change(url, ada, { username: ascii }), 400, 'taken');
    });

    it('A name keeps its look-alikes reserved when an older name that looks the same is freed', async () => {
      const { url, store, now } = service();
      const start = now();
      const cyrillic = '\u0441\u043e\u0440\u0435';
      const ada = await newAccount(url, cyrillic);
      await renamed(url, ada, 'cope');
      assertFailure(await register(url, 'c0pe'), 400, 'taken');
      await freeAll(service(), start + 30 * DAY);
      assert.deepEqual(await store.read(rowsOfNames, ada.id), { reserved: [], skeletons: [] });
      // From now on it is a name of ASCII like any other.
      assert.equal((await register(url, 'c0pe')).status, 200);
      assertFailure(await register(url, cyrillic), 400, 'taken');
    });
  });
});

// An instance counts these changes by itself.
onOneEngine('The own account', (engine) => {
  it('An account is changed 200 times an hour at most, and then gets 429', async (t) => {
    // One more is free every 18 seconds, and on a busy machine the changes may take longer.
    const start = Date.now();
    const { url } = await startService(t, engine, {}, { clock: () => start });
    const ada = await newAccount(url);
    const statuses = new Set<number>();
    for (let each = 0; each < 200; each++) statuses.add((await change(url, ada, { profile: {} })).status);
    assert.deepEqual([...statuses], [200]);
    assertFailure(await change(url, ada, { profile: {} }), 429, 'too_many_requests');
  });
});

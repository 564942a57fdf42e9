import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, login, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { ideographs } from '../support/random.ts';

interfaceSuite('Registering', (base) => {
  const register = (username: string, more: object = {}) =>
    call(base.url, 'POST', '/api/auth/register', {
      body: { username, email: `${newName()}@example.org`, password: PASSWORD, ...more },
    });

  it('answers 200 with the new user and does not sign in', async () => {
    const username = newName();
    const { status, body } = await register(username, { email: `${username}@Example.org` });
    const { id, created_at } = body.data;
    assert.equal(status, 200);
    assert.deepEqual(body, {
      code: 200,
      data: { id, username, email: `${username}@Example.org`, created_at },
    });
    assert.ok(Number.isSafeInteger(id) && id > 0);
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  });

  it('takes user names of 3 to 20 code points', async () => {
    for (const length of [3, 20]) {
      const name = ideographs(length);
      assert.equal((await register(name)).body.data.username, name);
    }
    for (const length of [2, 21])
      assertFailure(await register(ideographs(length)), 400, 'validation_failed', { field: 'username' });
  });

  it('counts the code points of a user name after NFC, and keeps it in NFC', async () => {
    const start = ideographs(19);
    const { body } = await register(`${start}e\u0301`);
    assert.equal(body.data.username, `${start}\u00e9`);
    assertFailure(await register(`${ideographs(1)}e\u0301`), 400, 'validation_failed', { field: 'username' });
  });

  it('counts a character beyond the BMP as one', async () => {
    const name = `${ideographs(3)}${'\u{10348}'.repeat(17)}`;
    assert.equal((await register(name)).status, 200);
    assertFailure(await register(`${name}\u{10348}`), 400, 'validation_failed', { field: 'username' });
  });

  for (const sample of [
    '_.-',
    'नमस्ते',
    '٣٤٥',
    'Ωmega',
    '한국어',
    '\u{1E900}\u{1E901}\u{1E902}',
    'x\u0302\u0303',
  ]) {
    it(`takes letters, marks and digits of any script: ${sample}`, async () => {
      const name = `${ideographs(4)}${sample}`;
      assert.equal((await register(name)).body.data.username, name.normalize('NFC'));
    });
  }

  const refused = {
    '@': '@',
    space: ' ',
    'no-break space': '\u00a0',
    'line feed': '\n',
    tab: '\t',
    'a control character': '\u0085',
    'zero width space': '\u200b',
    'zero width joiner': '\u200d',
    'soft hyphen': '\u00ad',
    'right-to-left override': '\u202e',
    'Hangul filler': '\u3164',
    'braille blank': '\u2800',
    'combining grapheme joiner': '\u034f',
    'variation selector': '\ufe0f',
    emoji: '\u{1f600}',
    slash: '/',
    quote: '"',
    'less than': '<',
    'private use': '\ue000',
    unassigned: '\u0378',
  };
  for (const [title, character] of Object.entries(refused)) {
    it(`refuses a user name with ${title}`, async () => {
      const answer = await register(`${ideographs(2)}${character}${ideographs(2)}`);
      assertFailure(answer, 400, 'validation_failed', { field: 'username', rule: 'format' });
    });
  }

  const lookAlikes: [string, (name: string) => string][] = [
    ['upper case', (name) => name.toUpperCase()],
    ['full width', (name) => name.replace('s', '\uff53')],
    ['long s', (name) => name.replace('s', '\u017f')],
    ['mathematical letters', (name) => name.replace('k', '\u{1d4c0}')],
    ['the Kelvin sign', (name) => name.replace('k', '\u212a')],
    ['a ligature', (name) => name.replace('fi', '\ufb01')],
    ['sharp s', (name) => name.replace('ss', '\u00df')],
    ['final sigma', (name) => name.replace('\u03c3', '\u03c2')],
    ['a decomposed letter', (name) => name.replace('\u00e9', 'e\u0301')],
    ['a full-width digit', (name) => name.replace('7', '\uff17')],
  ];
  for (const [title, respell] of lookAlikes) {
    it(`calls a user name taken when it is spelled with ${title}`, async () => {
      const name = `fissk7\u03c3\u00e9${newName('')}`;
      assert.notEqual(respell(name), name);
      assert.equal((await register(name)).status, 200);
      assertFailure(await register(respell(name)), 400, 'taken', { field: 'username', rule: 'unique' });
    });
  }

  it('calls an e-mail address taken in any case', async () => {
    const { email } = await newAccount(base.url);
    const answer = await register(newName(), { email: email.toUpperCase() });
    assertFailure(answer, 400, 'taken', { field: 'email', rule: 'unique' });
  });

  for (const address of ['a.b+c@example.org', "o'neil@example.co.uk", 'ü@bücher.example', '1@1.de'])
    it(`takes the e-mail address ${address}`, async () => {
      const email = `${newName('')}${address}`;
      assert.equal((await register(newName(), { email })).body.data.email, email);
    });

  it('takes an e-mail address of 254 characters and none of 255', async () => {
    const domain = `${'d'.repeat(60)}.`.repeat(3);
    const local = newName().padEnd(64, 'x');
    const email = `${local}@${domain}${'e'.repeat(254 - 65 - domain.length)}`;
    assert.equal((await register(newName(), { email })).status, 200);
    const answer = await register(newName(), { email: `${email}e` });
    assertFailure(answer, 400, 'validation_failed', { field: 'email' });
  });

  for (const email of [
    '',
    '@',
    'a',
    'a@b',
    'a@',
    '@b.org',
    'a b@c.org',
    'a@b@c.org',
    'a@b..org',
    'a@b.org ',
    'a\u200b@b.org',
    `a${'\u0301'.repeat(31)}@b.org`,
    // Letters to Unicode, but nothing to see: Hangul fillers.
    'a\u3164@b.org',
    'a\u115f@b.org',
    'a\uffa0@b.org',
    'a@b\u3164.org',
  ])
    it(`refuses the e-mail address ${JSON.stringify(email)}`, async () => {
      const answer = await register(newName(), { email });
      assertFailure(answer, 400, 'validation_failed', { field: 'email', rule: 'format' });
    });

  for (const [title, length, character] of [
    ['8', 8, 'p'],
    ['256', 256, 'p'],
    ['8 emoji', 8, '\u{1f511}'],
    ['256 emoji', 256, '\u{1f511}'],
    ['8 spaces', 8, ' '],
  ] as const)
    it(`takes a password of ${title} characters and keeps all of them`, async () => {
      const username = newName();
      const password = character.repeat(length);
      assert.equal((await register(username, { password })).status, 200);
      await login(base.url, username, password);
      for (const wrong of [character.repeat(length - 1), `${character.repeat(length - 1)}X`]) {
        const answer = await call(base.url, 'POST', '/api/auth/login', {
          body: { username, password: wrong },
        });
        assertFailure(answer, 401, 'bad_credentials');
      }
    });

  for (const [title, password] of [
    ['7 characters', 'p'.repeat(7)],
    ['257 characters', 'p'.repeat(257)],
    ['7 emoji, which are 14 UTF-16 units', '\u{1f511}'.repeat(7)],
    ['8 code points that NFC makes 7', `passwe\u0301`.padEnd(8, 'x')],
  ] as const)
    it(`refuses a password of ${title}`, async () => {
      const answer = await register(newName(), { password });
      assertFailure(answer, 400, 'validation_failed', { field: 'password', rule: 'format' });
    });

  it('ignores members that it does not know: they set nothing', async () => {
    const username = newName();
    const extra = {
      id: 1,
      role: 'admin',
      created_at: '2000-01-01T00:00:00Z',
      disabled_at: 1,
      password_hash: 'x',
    };
    const { status, body } = await register(username, extra);
    assert.equal(status, 200);
    assert.notEqual(body.data.created_at, extra.created_at);
    const [author, { token }] = [await newAccount(base.url), await login(base.url, username)];
    const { id } = await newItem(base.url, author.token);
    assertFailure(await call(base.url, 'DELETE', `/api/content/${id}`, { token }), 403, 'forbidden');
  });

  it('names every field that is wrong at once', async () => {
    const answer = await call(base.url, 'POST', '/api/auth/register', { body: { username: 'x', email: 1 } });
    assertFailure(answer, 400, 'validation_failed', { field: 'username', rule: 'format' });
    assertFailure(answer, 400, 'validation_failed', { field: 'email', rule: 'type' });
    assertFailure(answer, 400, 'validation_failed', { field: 'password', rule: 'required' });
  });
});

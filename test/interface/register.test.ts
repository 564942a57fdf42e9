import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, call, login, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { CAPITALS, SMALL_LETTERS, twins } from '../support/look-alikes.ts';
import { digits, ideographs } from '../support/random.ts';

const INVISIBLE = /has a character that cannot be seen; leave it out\.$/;

interfaceSuite('Registrations', (base) => {
  const assertTaken = (answer: Answer) =>
    assertFailure(answer, 400, 'taken', { field: 'username', rule: 'unique' });
  const register = (username: string, more: object = {}) =>
    call(base.url, 'POST', '/api/auth/register', {
      body: { username, email: `${newName()}@example.org`, password: PASSWORD, ...more },
    });

  it('A registration answers 200 with the new user and does not sign in', async () => {
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

  it('A user name has 3 to 20 code points', async () => {
    for (const length of [3, 20]) {
      const name = ideographs(length);
      assert.equal((await register(name)).body.data.username, name);
    }
    for (const length of [2, 21])
      assertFailure(await register(ideographs(length)), 400, 'validation_failed', { field: 'username' });
  });

  it('The code points of a user name are counted in NFC, and the name is stored in NFC', async () => {
    const start = ideographs(19);
    const { body } = await register(`${start}e\u0301`);
    assert.equal(body.data.username, `${start}\u00e9`);
    assertFailure(await register(`${ideographs(1)}e\u0301`), 400, 'validation_failed', { field: 'username' });
  });

  it('A character beyond the BMP counts as one in a user name', async () => {
    const name = `${ideographs(3)}${'\u{20000}'.repeat(17)}`;
    assert.equal((await register(name)).status, 200);
    assertFailure(await register(`${name}\u{20000}`), 400, 'validation_failed', { field: 'username' });
  });

  for (const [start, end] of [
    ['_', '.-'],
    ['नमस्ते', ''],
    ['Ωμέγα', ''],
    ['Анна-Мария', ''],
    ['한국어', ''],
    ['שלום', ''],
    ['\u{1e900}\u{1e901}\u{1e902}', ''],
    ['x\u0302\u0303', ''],
    ['さくらエリSakura佐', ''],
    ['ㄅㄆ中Lee', ''],
    ['한韓Kim', ''],
  ] as const) {
    it(`A user name has letters, marks and digits of one script or a usual mixture: ${start}1${end}`, async () => {
      const name = `${start}${digits(8)}${end}`;
      assert.equal((await register(name)).body.data.username, name.normalize('NFC'));
    });
  }

  it('A user name may have the digits of its script', async () => {
    const name = `علي${digits(8, '٠')}`;
    assert.equal((await register(name)).body.data.username, name);
  });

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
    it(`A user name with ${title} is refused`, async () => {
      const answer = await register(`${ideographs(2)}${character}${ideographs(2)}`);
      assertFailure(answer, 400, 'validation_failed', { field: 'username', rule: 'format' });
    });
  }

  const unclear: [string, string, RegExp][] = [
    ['dots and dashes alone', '_-_', /must have a letter or a digit\.$/],
    ['marks alone', '\u0301\u0302\u0303', /must have a letter or a digit\.$/],
    ['a dot at its end', `${newName()}.`, /must not begin or end with a dot\.$/],
    ['a dot at its beginning', `.${newName()}`, /must not begin or end with a dot\.$/],
    ['an invisible letter', 'ada\u3164', INVISIBLE],
    ['the Tifinagh consonant joiner', '\u2d30\u2d7f\u2d31', INVISIBLE],
    ['the Brahmi number joiner', '\u{11013}\u{1107f}\u{11014}', INVISIBLE],
    ['the Khitan small script filler', '\u{18b00}\u{16fe4}\u{18b01}', INVISIBLE],
    ['what mirrors a hieroglyph', '\u{13000}\u{13440}\u{13001}', INVISIBLE],
    ['what thickens a Duployan letter', '\u{1bc00}\u{1bc9d}\u{1bc01}', INVISIBLE],
    ['a Cyrillic letter among Latin ones', 'аdmin', /mixes letters of several scripts; keep to one script/],
    ['a Greek letter among Latin ones', 'ad\u03bfra', /mixes letters of several scripts; keep to one script/],
    ['Chinese beside Cyrillic', '中文Анна', /mixes letters of several scripts; keep to one script/],
    ['Hangul beside Kana', '한국어さくら', /mixes letters of several scripts; keep to one script/],
    ['digits of two kinds', 'علي3٣', /mixes several kinds of digits; keep to one kind, such as 0 to 9\.$/],
    ['full-width digits beside others', 'ada7\uff17', /mixes several kinds of digits; keep to one kind/],
  ];
  for (const [title, name, message] of unclear) {
    it(`A user name with ${title} is refused with the reason`, async () => {
      const answer = await register(name);
      assertFailure(answer, 400, 'validation_failed', { field: 'username', rule: 'format' });
      assert.match(answer.body.message ?? '', message);
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
    ['a decomposed letter', (name) => name.replace('\u00e9', 'e\u0301')],
    [
      'full-width digits',
      (name) => name.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
  ];
  for (const [title, respell] of lookAlikes) {
    it(`A taken user name spelled with ${title} is still taken`, async () => {
      const name = `fissk7\u00e9${newName('')}`;
      assert.notEqual(respell(name), name);
      await register(name);
      assertTaken(await register(respell(name)));
    });
  }

  it('A taken user name spelled with final sigma is still taken', async () => {
    const name = `\u03bb\u03cc\u03b3\u03bf\u03c3${digits(8)}`;
    await register(name);
    assertTaken(await register(name.replace('\u03c3', '\u03c2')));
  });

  for (const [script, letters] of Object.entries(SMALL_LETTERS)) {
    it(`A user name that looks like a taken one of ${script} letters is taken, in either order`, async () => {
      for (const order of [0, 1]) {
        const [first = '', second = ''] = order === 0 ? twins(letters) : twins(letters).reverse();
        assert.equal((await register(first)).status, 200, first);
        assertTaken(await register(second));
      }
    });
  }

  for (const [script, letters] of Object.entries(CAPITALS)) {
    it(`A user name that looks like a taken one of ${script} capitals is taken, in any case`, async () => {
      for (const inCase of [(name: string) => name, (name: string) => name.toLowerCase()]) {
        const [ascii, twin] = twins(letters);
        assert.equal((await register(inCase(ascii))).status, 200);
        assertTaken(await register(twin));
      }
    });
  }

  it('Two ASCII user names that look alike are different names', async () => {
    const end = newName('');
    for (const name of [`modem${end}`, `modern${end}`, `MODEM0${end}`, `modernO${end}`])
      assert.equal((await register(name)).body.data.username, name);
  });

  it('A taken e-mail address in any case is still taken', async () => {
    const { email } = await newAccount(base.url);
    const answer = await register(newName(), { email: email.toUpperCase() });
    assertFailure(answer, 400, 'taken', { field: 'email', rule: 'unique' });
  });

  for (const address of ['a.b+c@example.org', "o'neil@example.co.uk", 'ü@bücher.example', '1@1.de'])
    it(`The e-mail address ${address} is accepted`, async () => {
      const email = `${newName('')}${address}`;
      assert.equal((await register(newName(), { email })).body.data.email, email);
    });

  it('An e-mail address has at most 254 characters', async () => {
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
    it(`The e-mail address ${JSON.stringify(email)} is refused`, async () => {
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
    it(`A password of ${title} characters is accepted, and all of them count`, async () => {
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
    it(`A password of ${title} is refused`, async () => {
      const answer = await register(newName(), { password });
      assertFailure(answer, 400, 'validation_failed', { field: 'password', rule: 'format' });
    });

  it('A registration ignores unknown members, and they set nothing', async () => {
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

  it('A registration names every wrong field at once', async () => {
    const answer = await call(base.url, 'POST', '/api/auth/register', { body: { username: 'x', email: 1 } });
    assertFailure(answer, 400, 'validation_failed', { field: 'username', rule: 'format' });
    assertFailure(answer, 400, 'validation_failed', { field: 'email', rule: 'type' });
    assertFailure(answer, 400, 'validation_failed', { field: 'password', rule: 'required' });
  });
});

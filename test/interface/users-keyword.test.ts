import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { call, login, newName, PASSWORD } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { digits, ideographs } from '../support/random.ts';

interfaceSuite('The keyword of the user list', (base) => {
  const mark = newName('');
  const glyphs = ideographs(3);
  const greek = `\u03c9${digits(12)}`;
  const people = {
    plain: { username: `Anna.${mark}`, email: `first-${mark}@one.example` },
    percent: { username: `b_c.${mark}`, email: `per%cent*${mark}@two.example` },
    quote: { username: `bxc.${mark}`, email: `o'neil${mark}@three.example` },
    unicode: { username: `${glyphs}Äß`, email: `uni${mark}@four.example` },
    greek: { username: `${greek}\u03b1\u03c3`, email: `greek${mark}@five.example` },
  };
  let token = '';
  before(async () => {
    for (const person of Object.values(people)) {
      const body = { ...person, password: PASSWORD };
      assert.equal((await call(base.url, 'POST', '/api/auth/register', { body })).status, 200);
    }
    token = (await login(base.url, people.plain.username)).token;
  });
  const search = (keyword: string) =>
    call(base.url, 'GET', `/api/users?per_page=100&keyword=${encodeURIComponent(keyword)}`, { token });
  const found = async (keyword: string): Promise<string[]> => {
    const { body } = await search(keyword);
    assert.equal(body.data.items.length, Math.min(100, body.data.total));
    const names = Object.values(people).map(({ username }) => username);
    return body.data.items
      .map(({ username }: { username: string }) => username)
      .filter((username: string) => names.includes(username));
  };

  it('A user keyword matches any part of the user name', async () => {
    for (const keyword of [`Anna.${mark}`, `nna.${mark}`, `Anna.${mark.slice(0, 6)}`])
      assert.deepEqual(await found(keyword), [people.plain.username], keyword);
  });

  it('A user keyword matches any part of the e-mail address', async () => {
    for (const keyword of [`first-${mark}@one.example`, `${mark}@one`, `st-${mark}`])
      assert.deepEqual(await found(keyword), [people.plain.username], keyword);
  });

  it('A user keyword matches in any case and compatible spelling', async () => {
    for (const keyword of [`ANNA.${mark}`, `anna.${mark.toUpperCase()}`, `\uff21nna.${mark}`])
      assert.deepEqual(await found(keyword), [people.plain.username], keyword);
    for (const keyword of ['äß', 'Äß', 'A\u0308SS', 'äss'])
      assert.deepEqual(await found(glyphs + keyword), [people.unicode.username], keyword);
    for (const keyword of ['\u03b1\u03c3', '\u03b1\u03c2', '\u0391\u03a3'])
      assert.deepEqual(await found(greek + keyword), [people.greek.username], keyword);
  });

  it('A user keyword takes every character literally', async () => {
    assert.deepEqual(await found(`b_c.${mark}`), [people.percent.username]);
    assert.deepEqual(await found(`per%cent*${mark}`), [people.percent.username]);
    assert.deepEqual(await found(`o'neil${mark}`), [people.quote.username]);
    for (const keyword of [
      `b%.${mark}`,
      `b*c.${mark}`,
      `b?c.${mark}`,
      `b.c.${mark}`,
      `^bxc.${mark}`,
      `An OR ${mark}`,
      `${mark}"`,
    ])
      assert.deepEqual(await found(keyword), [], keyword);
  });

  for (const keyword of [
    '"',
    '""',
    '"""',
    '\\',
    '\\\\',
    '\\%',
    `'--`,
    '" OR "a" "',
    'a" NOT "b',
    '(',
    'NEAR(a b)',
    '{a}',
    '$1',
    '\n\t ',
  ])
    it(`The user keyword ${JSON.stringify(keyword)} finds nobody, and does not fail`, async () => {
      const { status, body } = await search(keyword);
      assert.equal(status, 200);
      assert.deepEqual(body.data.items, []);
      assert.equal(body.data.total, 0);
    });

  it('A user keyword may have one or two characters', async () => {
    const first = [...glyphs][0] ?? '';
    assert.deepEqual(await found(first), [people.unicode.username]);
    assert.deepEqual(await found([...glyphs].slice(1, 3).join('')), [people.unicode.username]);
    assert.deepEqual(await found(`\u03c2`), [people.greek.username]);
  });

  it('A user keyword does not match across name and address', async () => {
    assert.deepEqual(await found(`${mark}first`), []);
  });

  it('An empty user keyword is no keyword', async () => {
    const { body } = await call(base.url, 'GET', '/api/users', { token });
    const { body: empty } = await call(base.url, 'GET', '/api/users?keyword=', { token });
    assert.ok(empty.data.total >= body.data.total);
    assert.deepEqual(empty.data.items[0], body.data.items[0]);
  });

  it('A user keyword has at most 100 code points', async () => {
    assert.equal((await search('\u{1f600}'.repeat(100))).status, 200);
    assert.equal((await search('\ufdfa'.repeat(100))).status, 200);
    for (const character of ['x', '\u{1f600}'])
      assertFailure(await search(character.repeat(101)), 400, 'validation_failed', {
        field: 'keyword',
        rule: 'maxLength',
      });
  });

  it('A user keyword with NUL is refused', async () => {
    assertFailure(await search('a\u0000b'), 400, 'validation_failed', { field: 'keyword' });
  });
});

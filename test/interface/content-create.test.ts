import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

const MIB = 1024 * 1024;

interfaceSuite('Creation of content', (base) => {
  let author: Account;
  before(async () => {
    author = await newAccount(base.url);
  });
  const create = (members: object) =>
    call(base.url, 'POST', '/api/content', {
      token: author.token,
      body: { title: 'T', content: 'C', ...members },
    });
  const read = async (id: number) => (await call(base.url, 'GET', `/api/content/${id}`)).body.data;

  it('A creation answers 200 with the record', async () => {
    const item = { title: 'Hello', content: 'World', category: 'notes', tags: ['b', 'a'] };
    const { status, body } = await create(item);
    assert.equal(status, 200);
    const { id, created_at, slug } = body.data;
    assert.deepEqual(body, {
      code: 200,
      data: {
        id,
        ...item,
        visibility: 'public',
        status: 'published',
        version: 1,
        author: { id: author.id, username: author.username },
        created_at,
        updated_at: created_at,
        slug,
      },
    });
    assert.match(slug, /^hello(-\d+)?$/);
    assert.ok(Number.isSafeInteger(id) && id > 0);
    assert.equal(new Date(created_at).toISOString(), created_at);
    assert.deepEqual(await read(id), body.data);
  });

  it('A creation needs an access token', async () => {
    const answer = await call(base.url, 'POST', '/api/content', { body: { title: 'T', content: 'C' } });
    assertFailure(answer, 401, 'token_missing');
  });

  it('A creation needs a title and a content, and neither a category nor tags', async () => {
    const { body } = await create({});
    assert.equal(body.data.category, '');
    assert.deepEqual(body.data.tags, []);
    for (const field of ['title', 'content'])
      assertFailure(await create({ [field]: undefined }), 400, 'validation_failed', {
        field,
        rule: 'required',
      });
  });

  it('A creation may have an empty content, an empty category and no tags', async () => {
    const { body } = await create({ content: '', category: '', tags: [] });
    assert.equal(body.data.content, '');
    assert.equal(body.data.category, '');
    assert.deepEqual(body.data.tags, []);
  });

  it('A title has 1 to 200 code points', async () => {
    for (const title of ['t', 't'.repeat(200), '\u{1f600}'.repeat(200), ' '])
      assert.equal((await create({ title })).body.data.title, title);
    assertFailure(await create({ title: '' }), 400, 'validation_failed', {
      field: 'title',
      rule: 'minLength',
    });
    for (const title of ['t'.repeat(201), '\u{1f600}'.repeat(201)])
      assertFailure(await create({ title }), 400, 'validation_failed', { field: 'title', rule: 'maxLength' });
  });

  it('A category has up to 64 code points', async () => {
    const category = '\u{1f4c1}'.repeat(64);
    assert.equal((await create({ category })).body.data.category, category);
    assertFailure(await create({ category: `${category}x` }), 400, 'validation_failed', {
      field: 'category',
      rule: 'maxLength',
    });
  });

  it('A message about one character or item has the singular, and about several the plural', async () => {
    const short = await create({ title: '', tags: ['x'.repeat(65)] });
    const messages = short.body.data.fields.map(({ message }: { message: string }) => message);
    assert.deepEqual(messages.toSorted(), [
      'tags.0 must have at most 64 characters.',
      'title must have at least 1 character.',
    ]);
    const { token } = await newAccount(base.url);
    const bulk = { token, body: { operations: [] } };
    const none = await call(base.url, 'POST', '/api/content/bulk', bulk);
    assert.equal(none.body.message, 'operations must have at least 1 item.');
  });

  it('A mistake in a tag is reported at its index in the request, after tags that are repeated', async () => {
    for (const [tag, rule] of [
      [5, 'type'],
      [' ', 'minLength'],
      ['x'.repeat(65), 'maxLength'],
    ] as const)
      assertFailure(await create({ tags: ['a', ' a', tag] }), 400, 'validation_failed', {
        field: 'tags.2',
        rule,
      });
  });

  it('An item has up to 32 tags of 1 to 64 code points', async () => {
    const tags = Array.from({ length: 32 }, (_, index) => `\u{1f3f7}${index}`.padEnd(65, 'x'));
    assert.deepEqual((await create({ tags })).body.data.tags, tags);
    assertFailure(await create({ tags: [...tags, 'one more'] }), 400, 'validation_failed', {
      field: 'tags',
      rule: 'maxItems',
    });
    const long = { tags: ['ok', '\u{1f3f7}'.repeat(65)] };
    assertFailure(await create(long), 400, 'validation_failed', { field: 'tags.1', rule: 'maxLength' });
    for (const tag of ['', ' ', '\t\n'])
      assertFailure(await create({ tags: [tag] }), 400, 'validation_failed', {
        field: 'tags.0',
        rule: 'minLength',
      });
  });

  it('Tags are trimmed and lose their repeats, in their order, before they are counted', async () => {
    const { body } = await create({ tags: [' b ', 'a', '\tb', 'A', 'a ', 'a b'] });
    assert.deepEqual(body.data.tags, ['b', 'a', 'A', 'a b']);
    assert.deepEqual((await create({ tags: Array(100).fill('same') })).body.data.tags, ['same']);
    assert.deepEqual((await create({ tags: [`${' '.repeat(70)}x`] })).body.data.tags, ['x']);
  });

  const texts = {
    emoji: '\u{1f469}\u200d\u{1f4bb} \u{1f3f3}\ufe0f\u200d\u{1f308}',
    'both line ends': 'a\r\nb\nc\rd\r\n',
    'combining marks, composed and not': 'e\u0301 \u00e9 o\u0302\u0323 \u1ed9',
    HTML: '<script>alert("1 & 2")</script><!-- &amp; \' -->',
    'spaces at both ends': ' \t\n text \n\t ',
    'control characters': '\u0001\u0008\u001f\u007f\u0085\u2028\u2029\ufeff',
    'right to left and invisible characters': '\u202eabc\u202c\u200b\u00ad\u2066x\u2069',
    'noncharacters and private use': '\ufffd\ufffe\uffff\u{10ffff}\ue000',
    'quotes and backslashes': '"\\"\\\\u0000\\/\'`{x}',
    'what looks like JSON, SQL and a template': '{"__proto__":1} \'; DROP TABLE content;-- %s {{x}}',
  };
  for (const [title, text] of Object.entries(texts))
    it(`Title, content, category and tags are kept byte for byte: ${title}`, async () => {
      const members = { title: text, content: text, category: text, tags: [`x${text}x`] };
      const { body } = await create(members);
      const { title: kept, content, category, tags } = await read(body.data.id);
      assert.deepEqual({ title: kept, content, category, tags }, members);
    });

  it('A content has at most 1 MiB of UTF-8', async () => {
    for (const character of ['x', '\u00e9', '\u{1f600}']) {
      const content = character.repeat(MIB / Buffer.byteLength(character));
      const { status, body } = await create({ content });
      assert.equal(status, 200);
      assert.equal((await read(body.data.id)).content === content, true);
      const answer = await create({ content: `${content}x` });
      assertFailure(answer, 400, 'validation_failed', { field: 'content', rule: 'format' });
    }
  });

  it('A creation takes a content of 1 MiB where each character is escaped by a backslash, or as three bytes', async () => {
    for (const [character, escaped] of [
      ['"', '\\"'],
      ['\n', '\\n'],
      ['\u4e2d', '\\u4e2d'],
    ] as const) {
      const times = Math.floor(MIB / Buffer.byteLength(character));
      const raw = `{"title":"${'\\u0416'.repeat(200)}","content":"${escaped.repeat(times)}"}`;
      const { status, body } = await call(base.url, 'POST', '/api/content', {
        token: author.token,
        body: raw,
      });
      assert.equal(status, 200);
      assert.equal(body.data.content === character.repeat(times), true);
    }
  });

  it('A creation ignores unknown members, and they set nothing', async () => {
    const extra = {
      id: 1,
      version: 9,
      author: { id: 1, username: 'x' },
      author_id: 1,
      created_at: '2000-01-01T00:00:00.000Z',
      updated_at: '2000-01-01T00:00:00.000Z',
      role: 'admin',
    };
    const { status, body } = await create(extra);
    assert.equal(status, 200);
    assert.deepEqual(body.data.author, { id: author.id, username: author.username });
    assert.equal(body.data.version, 1);
    assert.ok(Date.parse(body.data.created_at) > Date.parse('2020-01-01'));
    assert.ok(Date.parse(body.data.updated_at) > Date.parse('2020-01-01'));
  });

  it('Each item gets a larger id than all before, and no id is used again', async () => {
    const first = await newItem(base.url, author.token);
    const second = await newItem(base.url, author.token);
    assert.ok(second.id > first.id);
    await call(base.url, 'DELETE', `/api/content/${second.id}`, { token: author.token });
    const third = await newItem(base.url, author.token);
    assert.ok(third.id > second.id);
  });
});

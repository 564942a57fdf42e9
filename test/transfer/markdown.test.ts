import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { portableItem } from '../../src/transfer/content/item-contract.ts';
import { readLine, writeLine } from '../../src/transfer/content/line-contract.ts';
import { readMarkdown, writeMarkdown } from '../../src/transfer/content/markdown-contract.ts';
import { BadItem } from '../../src/transfer/content/portable-item.ts';
import { fileNameOf } from '../../src/transfer/content/title.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { randomSeed } from '../support/random-runs.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const AUTHOR = { username: 'ada', email: 'ada@example.org' };

function read(text: string, name = 'a file.md') {
  const { members } = readMarkdown(Buffer.from(text), name, NOW);
  return members;
}

function refusalOf(text: string | Buffer): { line: number; message: string } {
  try {
    readMarkdown(typeof text === 'string' ? Buffer.from(text) : text, 'a.md', NOW);
  } catch (error) {
    if (error instanceof BadItem) return { line: error.line, message: error.message };
    throw error;
  }
  throw new Error('It was taken.');
}

const label = fc.string({ minLength: 1, maxLength: 20 }).filter((each) => each.trim() === each);
const text = fc.string({ unit: ANY_CHARACTER, maxLength: 60 }).filter((each) => !each.includes('\u0000'));
/** Names that mean something in a front matter are as likely as all others together. */
const name = fc.oneof(
  text,
  fc.constantFrom(
    'title',
    'tags',
    'language',
    'stoa',
    'id',
    'content',
    'meta',
    'status',
    'Status',
    'publish_at',
    'trashed_at',
    'draft',
    'published',
  ),
);
const meta = fc
  .dictionary(name, fc.oneof(fc.jsonValue({ maxDepth: 2 }), text, label), { maxKeys: 6 })
  .map((value) => JSON.stringify(value))
  // No request could bring these, such as integers of so many digits.
  .filter((value) => !/\\u0000|__proto__|\\ud[89a-f]|[:[,]-?\d{16,21}[,\]}]/i.test(value))
  .map((value): object => JSON.parse(value));
const item = fc.record(
  {
    title: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
    content: text,
    category: fc.oneof(fc.constant(''), label),
    tags: fc.uniqueArray(label, { maxLength: 4 }),
    language: fc.constantFrom('', 'en', 'pt-BR'),
    meta,
    visibility: fc.constantFrom('public', 'members'),
    slug: fc.constantFrom('a-slug', 'другой'),
  },
  { noNullPrototype: true },
);
const PUBLISHED = { status: 'published', publish_at: null, visible: 1 };
const TIMES = { created_at: '2020-01-31T12:00:00.123Z', updated_at: '2021-01-31T12:00:00.456Z' };

describe('Items in files', { concurrency: true }, () => {
  it('An item of any texts and any meta comes back from Markdown and from NDJSON as it was', (t) => {
    const check = fc.property(item, (given) => {
      const exported = { id: 7, members: { id: 7, ...given, version: 3, ...TIMES }, author: AUTHOR };
      for (const members of [read(writeMarkdown(exported)), readLine(Buffer.from(writeLine(exported)))]) {
        const { row, createdAt, updatedAt, author } = portableItem(members, undefined, NOW);
        const { tags, meta: json, ...texts } = row;
        assert.deepEqual(
          { ...texts, tags: JSON.parse(tags), meta: JSON.parse(json) },
          { ...given, ...PUBLISHED },
        );
        assert.deepEqual([createdAt, updatedAt], Object.values(TIMES).map(Date.parse));
        assert.match(author, /^ada/);
      }
    });
    fc.assert(check, { numRuns: 500, seed: randomSeed(t) });
  });

  it('An item that another clock changed before its creation comes back as changed when it was created', () => {
    const [created_at, updated_at] = [TIMES.updated_at, TIMES.created_at];
    const members = { id: 7, title: 'a', content: '', created_at, updated_at };
    const line = writeLine({ id: 7, members, author: AUTHOR });
    const { createdAt, updatedAt } = portableItem(readLine(Buffer.from(line)), undefined, NOW);
    assert.deepEqual([createdAt, updatedAt], [Date.parse(created_at), Date.parse(created_at)]);
  });

  it('A meta whose members have the names of methods comes back from Markdown as it was', () => {
    for (const value of [{ toString: 0 }, [{ toString: 0, valueOf: '' }], { toJSON: 0 }]) {
      const members = { title: 't', content: 'c', meta: { any: value, draft: value, date: value } };
      const { author: _, ...again } = read(
        writeMarkdown({ id: 7, members: { id: 7, ...members }, author: AUTHOR }),
      );
      assert.deepEqual(again, members);
    }
  });

  it('The largest meta that a request may bring comes back from Markdown as it was', () => {
    const zeros = { a: { b: { c: Array(8_100).fill(0) } } };
    const deep = (value: unknown, levels: number): unknown =>
      levels === 0 ? value : [deep(value, levels - 1)];
    const names = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [at.toString(36), 0]));
    const controls = { a: '\u0001'.repeat(2_700) };
    for (const meta of [zeros, { a: deep(Array(8_100).fill(0), 6) }, { stoa: deep(names, 6) }, controls]) {
      const members = { title: '\u0001'.repeat(200), content: '\ntext', meta };
      const file = writeMarkdown({ id: 7, members: { id: 7, ...members }, author: AUTHOR });
      const { author: _, ...again } = read(file);
      assert.deepEqual(again, members, `${file.length} characters`);
    }
  });

  it('What a front matter says by the name and the type of a member is the member, and all else is meta', () => {
    const members = read(
      '---\ntitle: One\ncategory: 7\ntags: [a, b]\nlanguage: [en]\nid: seven\nstoa: mine\ndate: 2020-01-31\nno: yes\n---\n\n# Two\n',
    );
    assert.deepEqual(members, {
      title: 'One',
      tags: ['a', 'b'],
      meta: { category: 7, language: ['en'], id: 'seven', stoa: 'mine', date: '2020-01-31', no: 'yes' },
      content: '\n# Two\n',
    });
  });

  it('The text of a file is what follows its front matter, to the byte, with any line ends', () => {
    for (const [file, content] of [
      ['---\ntitle: One\n---\ntext\r\n', 'text\r\n'],
      ['---\r\ntitle: One\r\n---\r\n\r\n text', '\r\n text'],
      ['\ufeff---\ntitle: One\n...\n\ufefftext', '\ufefftext'],
      ['---\ntitle: One\n---', ''],
      ['---\n---\ntext', 'text'],
      ['text\n---\na: 1\n---\n', 'text\n---\na: 1\n---\n'],
      ['---\nb: [\n  1\n]\n---\ntext', 'text'],
      ['---\n\ntext', '---\n\ntext'],
      ['---\na sentence\n---\ntext', '---\na sentence\n---\ntext'],
      ['\ufefftext', '\ufefftext'],
      ['', ''],
    ] as const)
      assert.equal(read(file).content, content, JSON.stringify(file));
  });

  it('A file without a title has that of its first heading, or the name of the file', () => {
    assert.equal(read('text\n# The one ##\n# Two').title, 'The one');
    assert.equal(read('#no heading\n## smaller', 'notes on it.markdown').title, 'notes on it');
    assert.equal(read('---\ntitle: 2030\n---\n# No').title, '2030');
    assert.equal(read(`# ${'🙂'.repeat(300)}`).title, '🙂'.repeat(200));
  });

  it('A bad file is refused with the line and the reason', () => {
    const refused: readonly (readonly [string | Buffer, number, RegExp])[] = [
      ['---\ntitle: One\na: [1\n---\n', 4, /no YAML: Flow sequence/],
      ['---\na: 1\nb: 2\na: 3\n---\n', 4, /Map keys must be unique/],
      ['---\na: 1\nb: !!binary aGk=\n---\n', 3, /Unresolved tag: tag:yaml\.org,2002:binary/],
      ['---\na: 1\nb: !!js/function "() => process.exit(3)"\n---\n', 3, /Unresolved tag/],
      ['---\na: 1\nb: 12345678901234567890\n---\n', 3, /b has a number that is too large/],
      ['---\na: 1\nb: .nan\n---\n', 3, /b has a number that JSON has not/],
      ['---\na: 1\ntitle: {{ title }}\n---\n', 3, /no name in a front matter/],
      ['---\na: *b\n---\n', 1, /Unresolved alias/],
      [`---\na: ${'['.repeat(20)}${']'.repeat(20)}\n---\n`, 2, /a is nested more than 16 deep/],
      [`---\na: ${'['.repeat(30_000)}\n---\n`, 2, /nested too deep/],
      ['---\na: "\\0"\n---\n', 1, /must not contain NUL/],
      ['---\na: "\\ud800"\n---\n', 1, /half a surrogate pair/],
      ['---\n__proto__: {role: admin}\n---\n', 1, /__proto__/],
      ['---\ntitle: One\nstatus: draft\n-- -\nText.\n', 1, /front matter has no end/],
      [`---\ntitle: One\nstatus: draft\na: ${'x'.repeat(64 * 1024)}\n---\nText.\n`, 1, /longer than 64 KiB/],
      ['one\ntwo\u0000\n', 2, /NUL/],
      [Buffer.from([0x61, 0xff]), 1, /UTF-8/],
    ];
    for (const [file, line, reason] of refused) {
      const refusal = refusalOf(file);
      assert.match(refusal.message, reason);
      assert.equal(refusal.line, line, refusal.message);
    }
  });

  it('A file whose author wants the item not to be public is refused where another spelling says so', () => {
    const file = (matter: string) => `---\ntitle: One\n${matter}\n---\nSecret.\n`;
    const refused: readonly (readonly [string, number, RegExp])[] = [
      ['Status: draft', 3, /^Write "status" for "Status"\.$/],
      ['VISIBILITY: members', 3, /^Write "visibility" for "VISIBILITY"\.$/],
      ['publishAt: 2099-01-01T00:00:00Z', 3, /^Write "publish_at" for "publishAt"\.$/],
      ['draft: true', 3, /^Write "status: draft" for "draft"\.$/],
      ['draft: yes', 3, /^Write "status: draft" for "draft"\.$/],
      ['a: 1\npublished: false', 4, /^Write "status: draft" for "published: false"\.$/],
      ['Published: "No"', 3, /^Write "status: draft" for "Published: no"\.$/],
      ['trashed_at: 2024-01-01T00:00:00Z', 3, /was in the trash/],
      ['private: true', 3, /^Write "status: draft" or "visibility: members" for "private"\.$/],
      ['publishDate: 2099-01-01', 3, /^"publishDate" is in the future; add "status: draft" and "publish_at"/],
      ['publishdate: 2030-01-02T00:00:00+02:00', 3, /^"publishdate" is in the future/],
      ['pubdate: 2099-1-2 3:04:05 +2', 3, /^"pubdate" is in the future/],
      ['published: 2099-01-01', 3, /^"published" is in the future/],
      ['a: 1\ndate: 2099-01-01 10:00:00 +0200', 4, /^"date" is in the future; .* to publish it now\.$/],
    ];
    for (const [matter, line, reason] of refused) {
      const refusal = refusalOf(file(matter));
      assert.match(refusal.message, reason);
      assert.equal(refusal.line, line, matter);
    }
    for (const matter of [
      'visibility: [members]',
      'visibility: true',
      'status: [draft]',
      'status: false',
      'status:',
      'publish_at: 20990101',
      'stoa: {id: 7, trashed_at: 2024-01-01T00:00:00Z}',
    ])
      assert.throws(
        () => portableItem(read(file(matter)), 'ada', NOW),
        /status|visibility|publish_at|trash/,
        matter,
      );
    const line = '{"title":"a","content":"","trashed_at":"2024-01-01T00:00:00Z"}';
    assert.throws(() => portableItem(readLine(Buffer.from(line)), 'ada', NOW), /was in the trash/);
    for (const text of [
      '+++\ndraft = true\n+++\nSecret.',
      '\n+++ \r\n',
      '{\n  "draft": true\n}\nSecret.',
      '{"title": "a } \\" {", "params": {"a": [1]}, "publishDate" : "2099-01-01"}\nSecret.',
      '{"title": "One", "Status": "draft"',
    ])
      assert.match(refusalOf(text).message, /TOML or JSON/);

    for (const matter of [
      'draft: false',
      'draft:',
      'published: true',
      'published: 2024-01-31',
      'trashed_at:',
      'private: false',
      'date: 2029-12-31',
      'publishDate: 2029-12-31T23:59:59Z',
      'date: some day',
    ])
      assert.equal(read(file(matter)).status, undefined, matter);
    for (const status of ['draft', 'published']) {
      const members = read(
        file(`status: ${status}\ndraft: true\nStatus: done\nprivate: true\ndate: 2099-01-01`),
      );
      const meta = { draft: true, Status: 'done', private: true, date: '2099-01-01' };
      assert.deepEqual([members.status, members.meta], [status, meta]);
    }
  });

  it('A file whose front matter has no end or no beginning is refused where it says who may read the item', () => {
    const comments = '# no setting\n'.repeat(6_000);
    for (const text of [
      '---\n\nstatus: draft\n\nSecret.',
      '---\n  title: One\n  status: draft\nSecret.',
      '---\n"status": draft\nSecret.',
      '---\nstatus : draft\nSecret.',
      '---\n? status\n: draft\nSecret.',
      '---\n{status: draft}\nSecret.',
      '---\n{"title":"One","status":"draft"}\nSecret.',
      '---\n# a setting\n\nvisibility: members\nSecret.',
      `---\n${comments}draft: true\n---\nSecret.`,
      '---\rstatus: draft\r---\rSecret.',
      '\n---\nstatus: draft\n---\nSecret.',
      '--- # a setting\nstatus: draft\n---\nSecret.',
      '---yaml\nstatus: draft\n---\nSecret.',
      '---\nstatus:draft\n---\nSecret.',
      '---\n# a setting\nnaïve: 1\ntags:\n- a\nlist: [\n]\n  b: 1\nlast change: 2\nPrivate: yes\nSecret.',
    ])
      assert.match(refusalOf(text).message, /^The front matter (has no end|must begin)/, text.slice(0, 40));
    for (const text of [
      '---\n\nProse, and the status of it.\n\n- Status: done\n',
      '---\nThe status: draft of a text\n',
      '---\n# Heading\n\nNote: this is prose.\n',
      '---\n\n{{ page }} {% include "draft:" %}\n',
      '----\n\nDraft\n=====\n',
      '\n---\n\nProse\n---\n',
      '+++ is no front matter\n',
      '{{ page }}\n',
      'Status: done\n',
      '{ "a": 1 }\n\nis how JSON looks\n',
      '{ "a": { "status": 1 }, "b": "draft" }\n\nDraft: { "draft": true }\n',
      '-----\nA letter\n-----\n\nStatus: done\n',
      '-----\nStatus: done\n',
      '---\n\nA letter.\nDraft: the second one\n',
      '---\n\nFrom: Ada\nTo: Bob\n\nStatus: done\n',
      '---\n\n    code\n\nStatus: done\n',
      '--- a remark ---\nStatus: done\n',
    ]) {
      assert.equal(read(text).content, text);
      assert.equal(read(`---\n---\n${text}`).content, text);
    }
    for (const text of ['---\nStatus: done\n', '{"status": 200}\n', '+++\n', '\n---\ndraft: one\n'])
      assert.equal(read(`---\n---\n${text}`).content, text, 'an empty front matter lets any text in');
  });

  it('A file that begins like a front matter is read in time that grows with its length only', () => {
    const long = 1_000_000;
    const begun = performance.now();
    for (const text of [
      `--- #${' '.repeat(long)}`,
      `\n---\na${' '.repeat(long)}`,
      `{"${'\\"'.repeat(long / 2)}`,
      `{"a":1${'"b" '.repeat(long / 4)}`,
    ])
      assert.equal(read(text).content, text);
    assert.ok(performance.now() - begun < 5_000);
  });

  it('Aliases that stand for very much are refused before they are followed', () => {
    const levels = Array.from(
      { length: 30 },
      (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}]`,
    );
    const { message } = refusalOf(`---\na0: &a0 [x, x, x]\n${levels.join('\n')}\n---\n`);
    assert.match(message, /stand for more than 100 values/);
    assert.match(refusalOf('---\na: &a [*a, *a]\n---\n').message, /stand for|nested/);
    assert.deepEqual(read('---\na: &a [1]\nb: *a\n---\n').meta, { a: [1], b: [1] });
  });

  it('A line is refused with what is wrong, and an item with a rule of a creation that it breaks', () => {
    const refusals = [
      ['[]', /must be one JSON object/],
      ['{"title":"a"', /not valid JSON/],
      ['{"title":"a","title":"b"}', /there twice/],
      ['{"title":"a"}', /content is required/],
      ['{"title":"a","content":"","role":"admin"}', /no member "role"/],
      [`{"title":"${'a'.repeat(201)}","content":""}`, /at most 200 characters/],
      ['{"title":"a","content":"","language":"?"}', /language tag/],
      ['{"title":"a","content":""}', /names no author/],
      [
        '{"title":"a","content":"","author":{"username":"ada"},"created_at":"2999-01-01T00:00:00Z"}',
        /past time/,
      ],
      ['{"title":"a","content":"","author":{"username":"ada"},"created_at":"yesterday"}', /must be a time/],
      [
        '{"title":"a","content":"","author":{"username":"ada"},"updated_at":"2020-01-01T00:00:00Z"}',
        /updated_at needs a created_at/,
      ],
      [
        `{"title":"a","content":"","author":{"username":"ada"},"meta":{"a":"${'a'.repeat(17_000)}"}}`,
        /16 KiB/,
      ],
    ] as const;
    for (const [line, reason] of refusals)
      assert.throws(() => portableItem(readLine(Buffer.from(line)), undefined, NOW), reason);
  });

  it('The name of an exported file is safe on every system', () => {
    for (const [title, name] of [
      ['Crème brûlée: how?', 'creme-brulee-how-7.md'],
      ['../../etc/passwd', 'etc-passwd-7.md'],
      ['CON', 'con-7.md'],
      ['日本語', 'item-7.md'],
      ['a'.repeat(200), `${'a'.repeat(60)}-7.md`],
    ] as const)
      assert.equal(fileNameOf(title, 7), name);
  });
});

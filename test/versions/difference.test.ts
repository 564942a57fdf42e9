import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { deltaOf } from '../../src/services/deltas/delta.ts';
import { differenceOf } from '../../src/versions/difference.ts';
import { textFrom } from '../../src/versions/text-from.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { longText } from '../support/long-text.ts';
import { startService } from '../support/service.ts';

const MIB = 1024 * 1024;

onEveryEngine('The difference of two versions', (engine) => {
  it('The difference of two versions has the members, the lines and the words that differ', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const content = 'first line\nsecond line\nthird\n';
    const { id } = await newItem(url, token, { title: 'one', content, category: 'c', tags: ['a', 'b'] });
    const body = { title: 'two', content: 'first line\nsecond new line\nthird\nfourth', tags: ['b'] };
    await call(url, 'PUT', `/api/content/${id}`, { token, body });
    await call(url, 'PUT', `/api/content/${id}`, { token, body: { category: '' } });
    const read = async (version: number, query = '') =>
      call(url, 'GET', `/api/content/${id}/versions/${version}/difference${query}`, { token });
    const { data } = (await read(2)).body;
    assert.deepEqual(data, {
      from: 1,
      to: 2,
      removed: { title: 'one', tags: ['a', 'b'] },
      added: { title: 'two', tags: ['b'] },
      content: [
        {
          from_line: 2,
          to_line: 2,
          parts: [
            { kind: 'same', text: 'second ' },
            { kind: 'added', text: 'new ' },
            { kind: 'same', text: 'line\n' },
          ],
        },
        { from_line: 4, to_line: 4, parts: [{ kind: 'added', text: 'fourth' }] },
      ],
    });
    assert.deepEqual((await read(3)).body.data, {
      ...{ from: 2, to: 3, content: [] },
      ...{ removed: { category: 'c' }, added: { category: '' } },
    });
    assert.deepEqual((await read(3, '?from=3')).body.data.content, []);
    const back = (await read(1, '?from=2')).body.data;
    assert.deepEqual([back.added, back.removed], [data.removed, data.added]);
    const first = (await read(1)).body.data;
    assert.deepEqual([first.from, first.removed, first.added.title], [0, {}, 'one']);
    assertFailure(await read(2, '?from=9'), 404, 'not_found');
    assertFailure(await read(2, '?from=x'), 400, 'validation_failed', { field: 'from' });
  });
});

// The thread that compares texts, which no database knows of.
onOneEngine('The difference of two long texts', (engine) => {
  it('The difference of two long texts is bounded, and found in time, however different they are', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token, { content: longText('a', MIB - 1_000) });
    const change = async (content: string) => {
      const { status } = await call(url, 'PUT', `/api/content/${id}`, { token, body: { content } });
      assert.equal(status, 200);
    };
    await change('\n'.repeat(MIB / 2));
    await change(longText('b', MIB - 1_000).replaceAll('\n', ' '));
    for (const version of [1, 2, 3]) {
      const path = `/api/content/${id}/versions/${version}/difference`;
      const { status, body } = await call(url, 'GET', path, { token });
      assert.deepEqual([status, body.data.content_truncated], [200, true]);
      assert.ok(Buffer.byteLength(JSON.stringify(body)) < MIB);
    }
  });
});

/** Both texts again. Only for differences that skip and cut nothing. */
function applied(
  from: string,
  { places }: ReturnType<typeof differenceOf>,
): { before: string; after: string } {
  const lines = from.split(/(?<=\n)/);
  let [line, before, after] = [1, '', ''];
  for (const { from_line, parts } of places) {
    const same = lines.slice(line - 1, from_line - 1).join('');
    const text = (...kinds: string[]) =>
      parts.map((part) => (kinds.includes(part.kind) && 'text' in part ? part.text : '')).join('');
    const removed = text('same', 'removed');
    before += same + removed;
    after += same + text('same', 'added');
    line = from_line + removed.split('\n').length - 1 + (removed.endsWith('\n') || removed === '' ? 0 : 1);
  }
  const rest = lines.slice(line - 1).join('');
  return { before: before + rest, after: after + rest };
}

const TEXT = fc
  .array(fc.constantFrom('a', 'b ', ' c', '\n', '\r\n', 'ä', '\u{1F3DB}', 'word', 'a'.repeat(40)), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));

it('A difference leads from the one text to the other', () => {
  fc.assert(
    fc.property(TEXT, TEXT, (from, to) => {
      assert.deepEqual(applied(from, differenceOf({ from, to })), { before: from, after: to });
    }),
  );
});

it('A difference of texts for which there was no time leads from the one to the other too', (t) => {
  let now = 0;
  t.mock.method(Date, 'now', () => {
    now += 1_000;
    return now;
  });
  fc.assert(
    fc.property(TEXT, TEXT, (from, to) => {
      assert.deepEqual(applied(from, differenceOf({ from, to })), { before: from, after: to });
    }),
  );
  assert.deepEqual(differenceOf({ from: '\na\n', to: 'b\nc\n' }).places, [
    {
      from_line: 1,
      to_line: 1,
      parts: [
        { kind: 'removed', text: '\na\n' },
        { kind: 'added', text: 'b\nc\n' },
      ],
    },
  ]);
});

it('A text comes back to the byte from its base and its delta, which is less than half of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }), fc.nat(20_000), (piece, at) => {
      const base = longText('d', 20_000);
      const text = `${base.slice(0, at).toWellFormed()}${piece}${base.slice(at + 7).toWellFormed()}`;
      const delta = deltaOf(base, text);
      assert.ok(delta !== undefined && delta.length * 2 <= Buffer.byteLength(text));
      assert.equal(textFrom(base, delta), text);
    }),
  );
  assert.equal(deltaOf(longText('d', 20_000), longText('e', 20_000)), undefined);
});

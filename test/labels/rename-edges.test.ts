import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DELETED_ACCOUNT } from '../../src/accounts/deleted-account.ts';
import { sumStored } from '../../src/content/stored.ts';
import { renameStep } from '../../src/labels/rename-step.ts';
import type { Store } from '../../src/store/store.ts';
import { requestsTo, tagOf } from '../content/black-box/requests.ts';
import { newWord } from '../content/black-box/seen.ts';
import { manyItems } from '../support/bare-item.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startFleet } from '../support/fleet.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken } from '../support/people.ts';
import { newMigratedPlace, newSqlitePlace } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { describeInTurn } from '../support/suite.ts';
import { until, untilThere } from '../support/until.ts';

const pathOf = (kind: string, name: string) => `/api/content/${kind}/${encodeURIComponent(name)}`;

it('A renaming whose starter is removed meanwhile goes on as made by the deleted account', async (t) => {
  const { promise: isRemoved, resolve: removed } = Promise.withResolvers<void>();
  const wrap = (store: Store) =>
    observed(store, { before: (operation) => (operation === renameStep.name ? isRemoved : undefined) });
  const place = await newMigratedPlace(t, newSqlitePlace);
  const engine = { name: 'SQLite', settings: async () => ({ DATABASE_URL: place.url }) };
  const service = await startService(t, engine, {}, { wrap });
  const { done, write, editor, member } = requestsTo(() => service);
  const [author, one] = [await member(), await editor()];
  const [old, kept] = [newWord(), newWord()];
  const { id } = await write(author, { tags: [old] });
  await done(one, 'PUT', pathOf('tags', old), { name: kept });
  await place.sql('UPDATE label_renames SET started_by = NULL');
  removed();
  await until(
    async () => (await done(author, 'GET', `/api/content/${id}`)).tags[0] === kept,
    'the renaming ends',
  );
  const [version] = (await done(author, 'GET', `/api/content/${id}/versions`)).items;
  assert.equal(version.by.username, DELETED_ACCOUNT);
});

onEveryEngine('The edges of renaming labels', (engine) => {
  it('A step of a renaming that another instance has made meanwhile changes nothing', async (t) => {
    const made: unknown[] = [];
    const wrap = (store: Store): Store => ({
      ...observed(store, {}),
      write: async (operation, input) => {
        const output = await store.write(operation, input);
        if (operation.name === renameStep.name) made.push(output, await store.write(operation, input));
        return output;
      },
    });
    const service = await startService(t, engine, {}, { wrap });
    const { done, editor, member } = requestsTo(() => service);
    const [author, one] = [await member(), await editor()];
    const [old, kept] = [newWord(), newWord()];
    const operations = Array.from({ length: 45 }, () => ({
      action: 'create',
      item: { title: 'One of many', content: '', tags: [old] },
    }));
    await done(author, 'POST', '/api/content/bulk', { operations });
    await done(one, 'PUT', pathOf('tags', old), { name: kept });
    const renaming = () => done(one, 'GET', pathOf('tags', old));
    await until(async () => (await renaming()).ended_at !== null, 'the renaming ends');
    const [first, second] = [0, 1].map((turn) => made.filter((_, index) => index % 2 === turn));
    assert.equal(first?.flat().length, 45);
    assert.deepEqual(second?.flat(), []);
  });

  it('Renamings that begin at once follow one another, and each ends once', async (t) => {
    const fleet = await startFleet(t, engine);
    const { ask, done, write, editor, admin } = requestsTo(() => fleet.instance(0));
    const other = requestsTo(() => fleet.instance(1));
    const one = await editor();
    const [a, b, c] = [newWord(), newWord(), newWord()];
    for (const name of [a, b]) for (let made = 0; made < 3; made++) await write(one, { category: name });
    const wanted = [
      [a, b],
      [b, a],
      [a, b],
      [b, c],
    ] as const;
    let began = 0;
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        wanted.flatMap(([from, name]) =>
          [ask, other.ask].map((each) => each(one, 'PUT', pathOf('categories', from), { name })),
        ),
      );
      for (const answer of answers)
        if (answer.status === 200) began++;
        else assertFailure(answer, 409, 'request_in_progress');
      assert.ok(began > round);
      for (const from of [a, b])
        await until(async () => {
          const { status, body } = await ask(one, 'GET', pathOf('categories', from));
          return status === 404 || body.data.ended_at !== null;
        }, 'the renaming ends');
    }
    const events = (await done(await admin(), 'GET', '/api/audit?per_page=100')).items;
    const counted = (name: string) => events.filter(({ event }: { event: string }) => event === name).length;
    assert.deepEqual([counted('label_rename_started'), counted('label_rename_ended')], [began, began]);
    const totals = [a, b, c].map(
      async (name) => (await done(one, 'GET', `/api/content?category=${name}`)).total,
    );
    assert.equal(
      (await Promise.all(totals)).reduce((sum, total) => sum + total),
      6,
    );
  });

  // Of the renamings of a kind one runs at a time.
  describeInTurn(engine, 'one after another', (service) => {
    it('A scheduled draft whose label is renamed is published at its time, whatever becomes of who renamed it', async () => {
      const { sql } = service();
      const { done, write, editor, admin, member } = requestsTo(service);
      const [author, one, head] = [await member(), await editor(), await admin()];
      const [old, kept] = [newWord(), newWord()];
      const later = { status: 'draft', publish_at: '2100-01-01T00:00:00Z' };
      const { id } = await write(author, { tags: [old], ...later });
      await done(one, 'PUT', pathOf('tags', old), { name: kept });
      await until(
        async () => (await done(one, 'GET', pathOf('tags', old))).ended_at !== null,
        'the renaming ends',
      );
      await done(head, 'PUT', `/api/users/${one.id}`, { role: 'member' });
      await sql(`UPDATE content SET publish_at = 1 WHERE id = ${id}`);
      const over = `SELECT status, tags FROM content WHERE id = ${id} AND publish_at IS NULL`;
      const item = await untilThere(async () => (await sql(over))[0], 'the time of the draft is over');
      assert.deepEqual({ ...item }, { status: 'published', tags: JSON.stringify([kept]) });
    });

    it('A renaming reaches an item that comes out of the trash between two of its parts', async () => {
      let steps = 0;
      let restore = async () => {};
      // The first step looks at what is visible, the second at what is hidden.
      const before = (operation: string) => operation === renameStep.name && ++steps === 2 && restore();
      service().beforeOperations(before);
      const { done, write, editor, member } = requestsTo(service);
      const [author, one] = [await member(), await editor()];
      for (const kind of ['tags', 'categories']) {
        const [old, kept] = [newWord(), newWord()];
        const { id } = await write(author, { tags: [old], category: old });
        await done(author, 'DELETE', `/api/content/${id}`);
        steps = 0;
        restore = () => done(author, 'POST', `/api/content/trash/${id}/restore`);
        await done(one, 'PUT', pathOf(kind, old), { name: kept });
        await until(
          async () => (await done(one, 'GET', pathOf(kind, old))).ended_at !== null,
          'the renaming ends',
        );
        const { tags, category } = await done(author, 'GET', `/api/content/${id}`);
        assert.equal(kind === 'tags' ? tags[0] : category, kept, kind);
      }
    });

    it('A renaming reaches what is behind hundreds of other drafts, and keeps earlier texts as differences', async () => {
      const { done, write, editor, member } = requestsTo(service);
      const [author, one] = [await member(), await editor()];
      const [old, kept] = [newWord(), newWord()];
      await service().exec(`${manyItems(author.id, { count: 300, title: 'Another draft', content: '' })};
        UPDATE content SET status = 'draft', visible = 0 WHERE author_id = ${author.id}`);
      const draft = await write(author, { tags: [old], status: 'draft' });
      for (let made = 0; made < 21; made++) {
        const { id } = await write(author);
        await done(author, 'PUT', `/api/content/${id}/draft`, { title: 'A draft', tags: [old] });
      }
      const text = 'A long text. '.repeat(10_000);
      const long = await write(author, { tags: [old], content: text });
      // The thread that makes differences starts with the second one, and may take longer than a text waits for it.
      for (const end of ['?', '!'])
        await done(author, 'PUT', `/api/content/${long.id}`, { content: `${text}${end}` });
      const before = await service().store.read(sumStored, { userId: author.id });
      await done(one, 'PUT', pathOf('tags', old), { name: kept });
      await until(
        async () => (await done(one, 'GET', pathOf('tags', old))).ended_at !== null,
        'the renaming ends',
      );
      assert.equal((await done(one, 'GET', pathOf('tags', old))).items_changed, 23);
      assert.deepEqual((await done(author, 'GET', `/api/content/${draft.id}`)).tags, [kept]);
      const earlier = await done(author, 'GET', `/api/content/${long.id}/versions/3`);
      assert.deepEqual([earlier.tags, earlier.content], [[old], `${text}!`]);
      const added = (await service().store.read(sumStored, { userId: author.id })) - before;
      assert.ok(added < 10_000, `the author has ${added} bytes more`);
    });

    it('A renamed label is no saving of a draft: who saved it and when stay, and the refusal of the old ETag says so', async () => {
      const { ask, done, write, editor, member } = requestsTo(service);
      const [author, one] = [await member(), await editor()];
      const [old, kept] = [newWord(), newWord()];
      const { id } = await write(author);
      const path = `/api/content/${id}/draft`;
      const saved = await ask(author, 'PUT', path, { tags: [old] });
      const known = { 'if-match': tagOf(saved) };
      await done(one, 'PUT', pathOf('tags', old), { name: kept });
      await until(
        async () => (await done(one, 'GET', pathOf('tags', old))).ended_at !== null,
        'the renaming ends',
      );
      const before = saved.body.data;
      assert.deepEqual(await done(author, 'GET', path), { ...before, tags: [kept], version: 2 });
      const refused = await ask(author, 'PUT', path, { tags: [old, 'more'] }, known);
      assertFailure(refused, 412, 'version_conflict');
      assert.match(
        refused.body.message ?? '',
        /^The draft has changed since it was last saved, because a label/,
      );
      const { version, at, by } = refused.body.data;
      assert.deepEqual({ version, at, by }, { version: 2, at: before.saved_at, by: before.saved_by });
      service().passTime(1_000);
      await done(one, 'PUT', path, { title: 'saved' });
      const late = await ask(author, 'PUT', path, { title: 'late' }, known);
      assert.match(late.body.message ?? '', /^The draft was saved meanwhile/);
    });

    it('A label that is called "." or ".." is renamed by its name in the query, which no client resolves', async () => {
      const { done, write, editor, member } = requestsTo(service);
      const [author, one] = [await member(), await editor()];
      for (const kind of ['tags', 'categories'])
        for (const from of ['.', '..']) {
          const dotted = await write(author, { tags: [from], category: from });
          const { pathname, search } = new URL(`/api/content/${kind}/-?from=${from}`, service().url);
          const path = pathname + search;
          await done(one, 'PUT', path, { name: 'dots' });
          await until(async () => (await done(one, 'GET', path)).ended_at !== null, 'the renaming ends');
          const { tags, category } = await done(author, 'GET', `/api/content/${dotted.id}`);
          assert.equal(kind === 'tags' ? tags[0] : category, 'dots', from);
        }
    });

    it('Names are compared exactly, in any script and with any character, and rights are asked first', async () => {
      const { ask, done, write, editor, member } = requestsTo(service);
      const [author, one] = [await member(), await editor()];
      const composed = 'caf\u00e9';
      const decomposed = 'cafe\u0301';
      const long = '\u{1F3DB}'.repeat(64);
      const strange = 'a/b%2F?#&=+ \\"\'\u0130';
      const item = await write(author, { tags: ['News', 'news', composed, decomposed, strange] });
      const rename = async (from: string, name: string) => {
        await done(one, 'PUT', pathOf('tags', from), { name });
        await until(
          async () => (await done(one, 'GET', pathOf('tags', from))).ended_at !== null,
          'the renaming ends',
        );
        return (await done(author, 'GET', `/api/content/${item.id}`)).tags;
      };
      assert.deepEqual(await rename('NEWS', 'other'), ['News', 'news', composed, decomposed, strange]);
      assert.deepEqual(await rename('news', 'NEWS'), ['News', 'NEWS', composed, decomposed, strange]);
      assert.deepEqual(await rename(decomposed, 'x'), ['News', 'NEWS', composed, 'x', strange]);
      assert.deepEqual(await rename(strange, long), ['News', 'NEWS', composed, 'x', long]);
      assert.deepEqual(await rename(long, 'News'), ['News', 'NEWS', composed, 'x']);
      assert.deepEqual(await rename('x', ` ${strange}\t`), ['News', 'NEWS', composed, strange]);

      const path = pathOf('tags', 'News');
      for (const name of ['', ' ', 'News', ' News ', `${long}x`, 'a\0b', 7, null])
        assertFailure(await ask(one, 'PUT', path, { name }), 400, 'validation_failed');
      for (const from of [`${long}x`, 'a\0b'])
        assertFailure(await ask(one, 'PUT', pathOf('tags', from), { name: 'y' }), 400, 'validation_failed');
      const reader = { token: await newPersonalToken(service().url, one, 'read') };
      assertFailure(await ask(reader, 'PUT', path, { name: 'y' }), 403, 'forbidden');
      await done(reader, 'GET', pathOf('tags', 'x'));
      // A member is not told what is renamed, nor whether anything is.
      for (const from of ['x', 'never'])
        for (const kind of ['tags', 'categories']) {
          assertFailure(await ask(author, 'GET', pathOf(kind, from)), 403, 'forbidden');
          assertFailure(await ask(author, 'PUT', pathOf(kind, from), { name: 'y' }), 403, 'forbidden');
        }
      assertFailure(await ask(one, 'GET', pathOf('tags', 'never')), 404, 'not_found');
    });
  });
});

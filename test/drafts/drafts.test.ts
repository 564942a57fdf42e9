import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { removeAuthor } from '../../src/content/personal-data.ts';
import { requireScheduleBeside, requireScheduleOfItem } from '../../src/content/schedule.ts';
import { sumStored } from '../../src/content/stored.ts';
import { ROW_LIMITS } from '../../src/domain/limits.ts';
import { exportDrafts } from '../../src/drafts/personal-data.ts';
import { findDue, publishDue } from '../../src/drafts/publish-due.ts';
import type { SectionRequest } from '../../src/services/personal-data.ts';
import type { Engine } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import type { Db } from '../../src/store/tables.ts';
import { restoreItem } from '../../src/trash/restore.ts';
import { exportVersions } from '../../src/versions/personal-data.ts';
import { requestsTo, tagOf } from '../content/black-box/requests.ts';
import { idsOf } from '../content/black-box/seen.ts';
import { type Answer, call, newAccount, newItem, newName } from '../support/client.ts';
import { type Lifetime, onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { feedAfter } from '../support/feed.ts';
import { observed } from '../support/observed.ts';
import { execOn, newMigratedPlace, newSqlitePlace, PLACES } from '../support/place.ts';
import { plansOn } from '../support/plans.ts';
import { startHere, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const PAST = '2020-01-01T00:00:00Z';
const LATER = '2100-01-01T00:00:00Z';

onEveryEngine('Drafts', (engine) => {
  let settings: Record<string, string> = {};
  const kept = {
    name: engine.name,
    settings: async (t: Lifetime) => {
      settings = await engine.settings(t);
      return settings;
    },
  };
  /** Their time has come. By the clock it could come before a test is ready. */
  const passTimeOf = (...ids: number[]) =>
    execOn(settings, `UPDATE content_drafts SET publish_at = 1 WHERE content_id IN (${ids})`);

  describeOnService(kept, 'on one service', (service) => {
    const { ask, done, member, editor, admin, write } = requestsTo(service);
    /** What the feed tells of an item, until it has told all of it. */
    const told = async (id: number, count: number) => {
      let found: unknown[][] = [];
      await until(async () => {
        const feed = (await feedAfter(service().store, 0)).filter(({ item_id }) => item_id === id);
        found = feed.map(({ event, version, audience }) => [event, version, audience]);
        return found.length >= count;
      }, `the feed tells ${count} changes of the item`);
      return found;
    };

    it('Two editors cannot overwrite or publish what the other saved in a draft', async () => {
      const [author, other] = [await member(), await editor()];
      const { id } = await write(author, { title: 'one' });
      const path = `/api/content/${id}`;
      const save = (who: typeof author, title: string, tag: string) =>
        ask(who, 'PUT', `${path}/draft`, { title }, { 'if-match': tag });
      const item = tagOf(await ask(author, 'GET', path));
      const first = await save(author, 'two', item);
      assert.equal(first.status, 200);
      const late = await save(other, 'three', item);
      assertFailure(late, 412, 'version_conflict');
      assert.deepEqual([late.body.data.version, late.body.data.by.id], [1, author.id]);
      const second = await save(other, 'three', tagOf(await ask(other, 'GET', `${path}/draft`)));
      assert.deepEqual([second.body.data.version, second.body.data.saved_by.id], [2, other.id]);
      const same = await done(other, 'PUT', `${path}/draft`, { title: 'three' });
      assert.deepEqual(same, second.body.data, 'a saving that changes nothing is none');
      const stale = { 'if-match': tagOf(first) };
      for (const [method, to, body] of [
        ['PUT', `${path}/draft`, { title: 'four' }],
        ['DELETE', `${path}/draft`],
        ['POST', `${path}/publish`],
      ] as const) {
        const refused = await ask(author, method, to, body, stale);
        assertFailure(refused, 412, 'version_conflict');
        assert.equal('changed' in refused.body.data, false, 'what the first saving had is not kept');
      }
      const published = await ask(author, 'POST', `${path}/publish`, undefined, {
        'if-match': tagOf(second),
      });
      assert.equal(published.body.data.title, 'three');

      const gone = await save(author, 'four', tagOf(second));
      assertFailure(gone, 412, 'version_conflict');
      assert.match(gone.body.message ?? '', /no draft any more/);

      // A draft that was begun again has the version of the discarded one, and is another one.
      const discarded = await ask(author, 'PUT', `${path}/draft`, { title: 'five' });
      await done(author, 'DELETE', `${path}/draft`);
      const again = await done(other, 'PUT', `${path}/draft`, { title: 'six' });
      assert.equal(again.version, discarded.body.data.version);
      assertFailure(await save(author, 'seven', tagOf(discarded)), 412, 'version_conflict');
    });

    it('Of two editors who each begin a draft only if there is none, the second replaces nothing', async () => {
      const [author, other] = [await member(), await editor()];
      const { id } = await write(author, { title: 'one' });
      const path = `/api/content/${id}/draft`;
      const save = (who: typeof author, title: string, value: string) =>
        ask(who, 'PUT', path, { title }, { 'if-none-match': value });
      const first = await save(author, 'two', '*');
      assert.equal(first.status, 200);
      for (const value of ['*', tagOf(first), `W/${tagOf(first)}`]) {
        const late = await save(other, 'three', value);
        assertFailure(late, 412, 'version_conflict');
        assert.deepEqual([late.body.data.version, late.body.data.by.id], [1, author.id]);
      }
      assertFailure(await save(other, 'three', 'x'), 400, 'malformed_request');
      assert.deepEqual(await done(author, 'GET', path), first.body.data);
      assert.equal((await save(other, 'three', '"draft-7-x"')).status, 200);
    });

    it('A draft is begun over the version that the request names, or not at all', async () => {
      const author = await member();
      const { id } = await write(author, { title: 'one' });
      await done(author, 'PUT', `/api/content/${id}`, { title: 'two' });
      const begin = (version: number) =>
        ask(author, 'PUT', `/api/content/${id}/draft?over_version=${version}`, { title: 'three' });
      const stale = await begin(1);
      assertFailure(stale, 412, 'version_conflict');
      assert.deepEqual([stale.body.data.version, stale.body.data.changed], [2, ['title']]);
      assert.equal((await begin(2)).status, 200);
    });

    it('The refusal of a weak tag says that a proxy has weakened it', async () => {
      const author = await member();
      const { id } = await write(author);
      const path = `/api/content/${id}`;
      const weak = async (at: string) => ({ 'if-match': `W/${tagOf(await ask(author, 'GET', at))}` });
      const refusals = [
        await ask(author, 'PUT', path, { title: 'two' }, await weak(path)),
        await ask(author, 'PUT', `${path}/draft`, { title: 'two' }, await weak(path)),
      ];
      await done(author, 'PUT', `${path}/draft`, { title: 'two' });
      refusals.push(
        await ask(author, 'PUT', `${path}/draft`, { title: 'three' }, await weak(`${path}/draft`)),
      );
      for (const refusal of refusals) {
        assertFailure(refusal, 412, 'version_conflict');
        assert.match(String(refusal.body.message), /A proxy has weakened the ETag/);
      }
      const stale = await ask(author, 'PUT', path, { title: 'two' }, { 'if-match': '"7-x-"' });
      assert.match(String(stale.body.message), /^The item was changed meanwhile/);
    });

    it('A draft replaces no change that it was not begun over, unless its editor names the version', async () => {
      const author = await member();
      const { id } = await write(author, { title: 'one' });
      const path = `/api/content/${id}`;
      await done(author, 'PUT', `${path}/draft`, { title: 'two' });
      await done(author, 'PUT', path, { title: 'meanwhile' });
      const refused = await ask(author, 'POST', `${path}/publish`);
      assertFailure(refused, 412, 'version_conflict');
      assert.deepEqual([refused.body.data.version, refused.body.data.changed], [2, ['title']]);
      assertFailure(await ask(author, 'POST', `${path}/publish?over_version=1`), 412, 'version_conflict');
      // A change of what no draft has leaves a draft current, and makes none current that was not.
      await done(author, 'PUT', path, { slug: newName('later') });
      assertFailure(await ask(author, 'POST', `${path}/publish`), 412, 'version_conflict');
      const { title, version } = await done(author, 'POST', `${path}/publish?over_version=3`);
      assert.deepEqual([title, version], ['two', 4]);
    });

    it('A draft gets no time if its item was changed since, unless its editor names the version', async () => {
      const author = await member();
      const { id } = await write(author, { title: 'one' });
      const path = `/api/content/${id}`;
      await done(author, 'PUT', `${path}/draft`, { title: 'two' });
      await done(author, 'PUT', path, { title: 'meanwhile' });
      const save = (query: string, body: object) => ask(author, 'PUT', `${path}/draft${query}`, body);
      const refused = await save('', { publish_at: LATER });
      assertFailure(refused, 412, 'version_conflict');
      assert.deepEqual([refused.body.data.version, refused.body.data.changed], [2, ['title']]);
      assertFailure(await save('?over_version=1', { publish_at: LATER }), 412, 'version_conflict');
      for (const body of [{ title: 'three' }, { publish_at: null }])
        assert.equal((await save('', body)).body.data.over_version, 1);
      const { over_version, publish_at } = (await save('?over_version=2', { publish_at: PAST })).body.data;
      assert.deepEqual([over_version, Date.parse(publish_at)], [2, Date.parse(PAST)]);
      const title = async () => (await done(undefined, 'GET', path)).title;
      await until(async () => (await title()) === 'three', 'the draft is published');
    });

    it('A draft is published at its time also where what no draft has was changed since, as the slug is', async () => {
      const author = await member();
      const changes = [{ slug: 'corrected' }, { visibility: 'members' }];
      const items = await Promise.all(changes.map(() => write(author, { title: 'one' })));
      const draft = { title: 'two', publish_at: LATER };
      await Promise.all(items.map(({ id }) => done(author, 'PUT', `/api/content/${id}/draft`, draft)));
      for (const [index, { id }] of items.entries()) {
        const path = `/api/content/${id}`;
        assert.equal((await done(author, 'PUT', path, changes[index])).version, 2);
        const { over_version, publish_at } = await done(author, 'GET', `${path}/draft`);
        assert.deepEqual([over_version, Date.parse(publish_at)], [2, Date.parse(draft.publish_at)]);
      }
      await passTimeOf(...items.map(({ id }) => id));
      for (const { id } of items) {
        const item = () => done(author, 'GET', `/api/content/${id}`);
        await until(async () => (await item()).version === 3, 'the draft is published');
        assert.equal((await item()).title, 'two');
      }
    });

    it('An item is a draft or has one, and never both', async () => {
      const author = await member();
      const draft = await write(author, { status: 'draft' });
      for (const [method, body] of [['GET'], ['PUT', { title: 'x' }], ['DELETE']] as const)
        assertFailure(await ask(author, method, `/api/content/${draft.id}/draft`, body), 404, 'not_found');
      const item = await write(author);
      await done(author, 'PUT', `/api/content/${item.id}/draft`, { title: 'x' });
      const back = { status: 'draft' };
      assertFailure(await ask(author, 'PUT', `/api/content/${item.id}`, back), 400, 'validation_failed');
      await done(author, 'DELETE', `/api/content/${item.id}/draft`);
      await done(author, 'PUT', `/api/content/${item.id}`, back);
      assertFailure(await ask(undefined, 'GET', `/api/content/${item.id}`), 404, 'not_found');
      for (const name of ['status', 'visible', 'version'])
        assertFailure(
          await ask(author, 'PUT', `/api/content/${item.id}/draft`, { title: 'x', [name]: 1 }),
          400,
          'validation_failed',
        );
    });

    it('The refusal of a time for a published item names the draft beside it', async () => {
      const author = await member();
      const { id } = await write(author);
      const path = `/api/content/${id}`;
      const time = { publish_at: LATER };
      for (const refusal of [
        await ask(author, 'PUT', path, time),
        await ask(author, 'PATCH', path, time),
        await ask(author, 'POST', '/api/content/bulk', {
          operations: [{ action: 'update', id, change: time }],
        }),
      ]) {
        assertFailure(refusal, 400, 'validation_failed');
        assert.match(
          JSON.stringify(refusal.body),
          /save a draft beside it \(PUT \/api\/content\/\{id\}\/draft\)/,
        );
      }
      const created = await ask(author, 'POST', '/api/content', { title: 't', content: '', ...time });
      assert.match(JSON.stringify(created.body), /is for a draft only: send/);
    });

    it('A draft is told to its author, and its publication to all, once', async () => {
      const author = await member();
      const { id } = await write(author, { status: 'draft' });
      const path = `/api/content/${id}`;
      await done(author, 'PATCH', path, { title: 'two' });
      await done(author, 'DELETE', path);
      await done(author, 'POST', `/api/content/trash/${id}/restore`);
      await done(author, 'POST', `${path}/publish`);
      await done(author, 'PUT', `${path}/draft`, { title: 'three' });
      await done(author, 'POST', `${path}/publish`);
      await done(author, 'PUT', path, { title: 'four' });
      await done(author, 'PUT', path, { status: 'draft' });
      await done(author, 'DELETE', path);
      await done(author, 'DELETE', `/api/content/trash/${id}`);
      assert.deepEqual(await told(id, 10), [
        ['content.created', 1, 'owner'],
        ['content.updated', 2, 'owner'],
        ['content.trashed', 2, 'owner'],
        ['content.restored', 2, 'owner'],
        ['content.published', 3, 'all'],
        ['content.published', 4, 'all'],
        ['content.updated', 5, 'all'],
        ['content.updated', 6, 'all'],
        ['content.trashed', 6, 'owner'],
        ['content.purged', 6, 'owner'],
      ]);
    });

    it('A list of drafts has pages and an exact total, and its readers are those who may change them', async () => {
      const [author, other] = [await member(), await member()];
      const drafts = [await write(author, { status: 'draft' }), await write(author, { status: 'draft' })];
      await write(author);
      const trashed = await write(author, { status: 'draft' });
      await done(author, 'DELETE', `/api/content/${trashed.id}`);
      const list = (who: typeof author, query: string) =>
        done(who, 'GET', `/api/content?status=draft&${query}`);
      const page = await list(author, 'per_page=1&page=2');
      assert.deepEqual([idsOf(page), page.total], [[drafts[1]?.id], 2]);
      assert.equal((await list(other, `author=${author.id}`)).total, 0);
      assert.equal((await list(await admin(), `author=${author.id}`)).total, 2);
      assert.deepEqual(idsOf(await done(author, 'GET', `/api/content?author=${author.id}`)).length, 1);
    });

    it('A list of drafts takes labels, a language and times, each alone and together', async () => {
      const author = await member();
      const draft = (members: object) => write(author, { status: 'draft', ...members });
      const one = await draft({ tags: ['a', 'b'], category: 'news', language: 'de' });
      await until(() => Date.now() > Date.parse(one.created_at), 'a millisecond has passed');
      const two = await draft({ tags: ['b', 'o"c,"'], language: 'DE' });
      const three = await draft({ tags: ['c'], category: 'other', language: 'de-AT' });
      await write(author, { tags: ['a'], category: 'news', language: 'de' });
      for (const [query, found] of [
        ['tag=b', [one, two]],
        ['tag=a&tag=b', [one]],
        ['any_tag=a&any_tag=c', [one, three]],
        ['any_tag=a&any_tag=c&category=other', [three]],
        [`tag=${encodeURIComponent('o"c,"')}`, [two]],
        [`tag=${encodeURIComponent(',')}`, []],
        ['category=news', [one]],
        ['language=de', [one, two]],
        ['language=de-at', [three]],
        [`created_before=${two.created_at}`, [one]],
        [`created_from=${two.created_at}&tag=c`, [three]],
        [`updated_from=${one.updated_at}&updated_before=${two.updated_at}`, [one]],
        [`tag=b&language=de&author=${author.id}&created_from=2020-01-01T00:00:00Z`, [one, two]],
        [`author=${author.id + 1_000}&tag=b`, []],
      ] as const) {
        const ids = found.map(({ id }) => id);
        const list = `/api/content?status=draft&${query}`;
        const { total, ...page } = await done(author, 'GET', list);
        assert.deepEqual([idsOf(page), total], [ids, ids.length], query);
        const walked: number[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const step = await done(author, 'GET', `${list}&per_page=1&cursor=${cursor}`);
          walked.push(...idsOf(step));
          cursor = step.next_cursor;
        }
        assert.deepEqual(walked, ids, query);
        assert.equal((await done(await member(), 'GET', list)).total, 0);
      }
    });

    it('The published items with a draft beside them are listed as they are published, until it is published or deleted', async () => {
      const [author, boss] = [await member(), await admin()];
      const [one, two] = [await write(author, { tags: ['a'] }), await write(author, { tags: ['b'] })];
      const trashed = await write(author);
      await write(author, { status: 'draft' });
      const found = async (who: typeof author, query = '') =>
        idsOf(await done(who, 'GET', `/api/content?status=with_draft&author=${author.id}${query}`));
      for (const { id } of [one, two, trashed])
        await done(author, 'PUT', `/api/content/${id}/draft`, { title: 'changed', tags: ['c'] });
      await done(author, 'DELETE', `/api/content/${trashed.id}`);
      for (const who of [author, boss]) {
        assert.deepEqual(await found(who), [one.id, two.id]);
        assert.deepEqual(await found(who, '&tag=b'), [two.id]);
        assert.deepEqual(await found(who, '&tag=c'), []);
      }
      assert.deepEqual(await found(await member()), []);
      const list = `/api/content?status=with_draft&per_page=1&author=${author.id}`;
      const { items, total } = await done(author, 'GET', list);
      assert.deepEqual([items, total], [[one], 2]);
      const { next_cursor } = await done(author, 'GET', `${list}&cursor=`);
      assert.deepEqual(idsOf(await done(author, 'GET', `${list}&cursor=${next_cursor}`)), [two.id]);
      assertFailure(await ask(author, 'GET', `${list}&keyword=x`), 400, 'validation_failed');
      assertFailure(await ask(undefined, 'GET', list), 401, 'token_missing');
      await done(author, 'POST', `/api/content/${one.id}/publish`);
      await done(author, 'DELETE', `/api/content/${two.id}/draft`);
      assert.deepEqual(await found(author), []);
    });

    it('A list of drafts takes empty filters, the order of ids and no highlights, and refuses words', async () => {
      const author = await member();
      const { id } = await write(author, { status: 'draft' });
      const drafts = '/api/content?status=draft';
      const nothing = 'keyword=&category=&language=&tag=&tag=&any_tag=&sort=id&highlights=false';
      assert.deepEqual(idsOf(await done(author, 'GET', `${drafts}&${nothing}`)), [id]);
      for (const query of ['keyword=x', 'highlights=true', 'sort=relevance', 'cursor=&sort=title'])
        assertFailure(await ask(author, 'GET', `${drafts}&${query}`), 400, 'validation_failed');
    });

    it('Lists of drafts and of items with drafts have each order, over their pages, with filters too', async () => {
      const author = await member();
      const items: { readonly id: number }[] = [];
      for (const title of ['beta', 'Alpha', 'Zeta', 'alpha'])
        items.push(await write(author, { title, status: 'draft', tags: title === 'Zeta' ? [] : ['x'] }));
      const [beta, alpha, zeta, again] = items.map(({ id }) => id);
      await done(author, 'PATCH', `/api/content/${alpha}`, { content: 'Changed last.' });
      const listed = async (query: string) =>
        idsOf(await done(author, 'GET', `/api/content?status=draft&${query}`));
      assert.deepEqual(await listed('sort=newest'), [again, zeta, alpha, beta]);
      assert.deepEqual(await listed('sort=oldest'), [beta, alpha, zeta, again]);
      assert.deepEqual(await listed('sort=changed'), [alpha, again, zeta, beta]);
      assert.deepEqual(await listed('sort=title'), [alpha, again, beta, zeta]);
      assert.deepEqual(await listed('sort=title&tag=x&per_page=2'), [alpha, again]);
      assert.deepEqual(await listed('sort=title&tag=x&per_page=2&page=2'), [beta]);
      const { total } = await done(author, 'GET', '/api/content?status=draft&sort=title&tag=x&per_page=2');
      assert.equal(total, 3);
      for (const id of [beta, zeta])
        await done(author, 'PATCH', `/api/content/${id}`, { status: 'published' });
      for (const id of [beta, zeta])
        await done(author, 'PUT', `/api/content/${id}/draft`, { title: 'Later' });
      const withDraft = await done(author, 'GET', '/api/content?status=with_draft&sort=newest');
      assert.deepEqual(idsOf(withDraft), [zeta, beta]);
      await done(author, 'PUT', `/api/content/${beta}/draft`, { title: 'Saved last' });
      const saved = await done(author, 'GET', '/api/content?status=with_draft&sort=changed');
      assert.deepEqual(idsOf(saved), [beta, zeta]);
      const deep = await ask(author, 'GET', '/api/content?status=draft&sort=title&per_page=100&page=101');
      assertFailure(deep, 400, 'validation_failed');
    });

    it('An author has a draft by its ETag, and nobody else learns that the tag is right', async () => {
      const [author, other] = [await member(), await member()];
      const { id } = await write(author, { status: 'draft' });
      const tag = tagOf(await ask(author, 'GET', `/api/content/${id}`));
      const known = (who: typeof author | undefined, value: string) =>
        ask(who, 'GET', `/api/content/${id}`, undefined, { 'if-none-match': value });
      assert.equal((await known(author, tag)).status, 304);
      for (const who of [undefined, other])
        for (const value of [tag, '*']) assert.equal((await known(who, value)).status, 404);
      assertFailure(await ask({ token: 'x' }, 'GET', `/api/content/${id}`), 401, 'token_invalid');
    });

    it('The export of an account says which members a draft empties', async () => {
      const author = await member();
      const item = await write(author, { language: 'en', meta: { a: 1 }, tags: ['x'] });
      const emptied = { tags: [], language: '', meta: {} };
      await done(author, 'PUT', `/api/content/${item.id}/draft`, emptied);
      const { content_drafts } = await done(author, 'GET', '/api/users/me/export');
      const [{ saved_at: _, ...draft }] = content_drafts;
      assert.deepEqual(draft, { content_id: item.id, ...emptied });
    });

    it('A draft that its ETag names is 304 until it, its item or the name of who saved it changes, for those who may read it', async () => {
      const [author, one, other] = [await member(), await editor(), await member()];
      const { id } = await write(author, { title: 'one' });
      const item = `/api/content/${id}`;
      const path = `${item}/draft`;
      const known = (who: typeof author | undefined, value: string) =>
        ask(who, 'GET', path, undefined, { 'if-none-match': value });
      for (const value of ['*', '"draft-1-x"']) assertFailure(await known(author, value), 404, 'not_found');
      const saved = await ask(one, 'PUT', path, { content: 'two' });
      const read = await ask(author, 'GET', path);
      assert.equal(tagOf(read), tagOf(saved));
      assert.equal(read.headers.get('cache-control'), 'private, no-cache');
      for (const value of [tagOf(read), `W/${tagOf(read)}`, `"x", ${tagOf(read)}`, '*']) {
        const unchanged = await known(author, value);
        assert.deepEqual([unchanged.status, unchanged.body], [304, undefined]);
        assert.deepEqual([tagOf(unchanged), unchanged.headers.get('vary')], [tagOf(read), 'Authorization']);
        assertFailure(await known(other, value), 403, 'forbidden');
        assertFailure(await known(undefined, value), 401, 'token_missing');
      }
      assert.equal(
        (await known(author, 'x')).status,
        200,
        'a condition that cannot be read counts as absent',
      );
      let tag = tagOf(read);
      const isNew = async (
        change: () => Promise<unknown>,
        member: (draft: Answer['body']['data']) => unknown,
      ) => {
        const before = (await known(author, '"x"')).body.data;
        await change();
        const after = await known(author, tag);
        assert.equal(after.status, 200);
        assert.notDeepEqual(member(after.body.data), member(before));
        assert.equal((await known(author, tagOf(after))).status, 304);
        tag = tagOf(after);
      };
      await isNew(
        () => done(author, 'PUT', path, { tags: ['new'] }),
        (draft) => draft.tags,
      );
      await isNew(
        () => done(author, 'PUT', item, { title: 'of the item' }),
        (draft) => draft.title,
      );
      await isNew(
        () => done(author, 'PUT', `${path}?over_version=2`, { category: 'c' }),
        (draft) => draft.over_version,
      );
      await isNew(
        () => done(author, 'PUT', item, { slug: newName() }),
        (draft) => draft.over_version,
      );
      await isNew(
        () => execOn(settings, `UPDATE users SET username = '${newName()}' WHERE id = ${author.id}`),
        (draft) => draft.saved_by.username,
      );
      // What else a tag names is no saving that another one could overwrite.
      await done(author, 'PUT', item, { title: 'again' });
      const kept = await ask(author, 'PUT', path, { content: 'three' }, { 'if-match': tag });
      assert.equal(kept.status, 200);
    });

    it('A draft counts as stored, is in the export, and ends with its account whatever becomes of its content', async () => {
      const [author, { store }] = [await member(), service()];
      const stored = () => store.read(sumStored, { userId: author.id });
      const item = await write(author, { content: 'x'.repeat(2_000) });
      const draft = await write(author, { status: 'draft', publish_at: LATER });
      const before = await stored();
      await done(author, 'PUT', `/api/content/${item.id}/draft`, {
        content: 'y'.repeat(5_000),
        tags: ['new'],
      });
      assert.ok((await stored()) >= before + 5_000);
      const exported = await done(author, 'GET', '/api/users/me/export');
      const [beside] = exported.content_drafts;
      assert.deepEqual(
        [beside.content_id, beside.content, beside.tags, 'title' in beside],
        [item.id, 'y'.repeat(5_000), ['new'], false],
      );
      const own = exported.content.find(({ id }: { id: number }) => id === draft.id);
      assert.deepEqual([own.status, Date.parse(own.publish_at)], ['draft', Date.parse(LATER)]);
      while (await store.write(removeAuthor, { userId: author.id, content: 'keep', now: Date.now() }));
      assert.equal(
        (await done(undefined, 'GET', `/api/content/${item.id}`)).author.username,
        'deleted account',
      );
      const reader = await admin();
      for (const path of [`/api/content/${draft.id}`, `/api/content/${item.id}/draft`])
        assertFailure(await ask(reader, 'GET', path), 404, 'not_found');
    });

    it('The draft that an editor saved beside an item outlives the account of its author, whose own draft does not', async () => {
      const [author, other, { store }] = [await member(), await editor(), service()];
      const [own, theirs] = [await write(author), await write(author)];
      await done(author, 'PUT', `/api/content/${own.id}/draft`, { title: 'two' });
      await done(other, 'PUT', `/api/content/${theirs.id}/draft`, { title: 'two' });
      while (await store.write(removeAuthor, { userId: author.id, content: 'keep', now: Date.now() }));
      assertFailure(await ask(other, 'GET', `/api/content/${own.id}/draft`), 404, 'not_found');
      const draft = await done(other, 'GET', `/api/content/${theirs.id}/draft`);
      assert.deepEqual([draft.title, draft.saved_by.id], ['two', other.id]);
    });

    it('A draft of an item of "deleted account" is published at its time if its editor may still change the item', async () => {
      const [author, other, former, head] = [await member(), await editor(), await editor(), await admin()];
      const { store } = service();
      const items = [await write(author), await write(author), await write(author)] as const;
      while (await store.write(removeAuthor, { userId: author.id, content: 'keep', now: Date.now() }));
      const [beside, withdrawn, dropped] = items.map(({ id }) => `/api/content/${id}`);
      const publish_at = LATER;
      await done(other, 'PUT', `${beside}/draft`, { title: 'two', publish_at });
      await done(other, 'PATCH', `${withdrawn}`, { title: 'two', status: 'draft', publish_at });
      await done(former, 'PUT', `${dropped}/draft`, { title: 'two', publish_at });
      await done(head, 'PUT', `/api/users/${former.id}`, { disabled: true });
      await passTimeOf(...items.map(({ id }) => id));
      await execOn(settings, `UPDATE content SET publish_at = 1 WHERE id = ${items[1].id}`);
      for (const path of [beside, withdrawn])
        await until(
          async () => (await ask(undefined, 'GET', `${path}`)).body.data?.title === 'two',
          'the draft is published',
        );
      const left = () => done(head, 'GET', `${dropped}/draft`);
      await until(async () => (await left()).publish_at === null, 'the draft has no time any more');
    });

    it('A draft beside an item is in the trash with it, and comes back without a time that has passed', async () => {
      const author = await member();
      const { id } = await write(author, { title: 'one' });
      const path = `/api/content/${id}`;
      await done(author, 'PUT', `${path}/draft`, { title: 'two', publish_at: LATER });
      await done(author, 'DELETE', path);
      assertFailure(await ask(author, 'GET', `${path}/draft`), 404, 'not_found');
      await done(author, 'POST', `/api/content/trash/${id}/restore`);
      const draft = await done(author, 'GET', `${path}/draft`);
      assert.deepEqual([draft.title, Date.parse(draft.publish_at)], ['two', Date.parse(LATER)]);

      const DAY = 24 * 3_600_000;
      const passed = await write(author, { status: 'draft', publish_at: inMs(DAY) });
      await done(author, 'DELETE', `/api/content/${passed.id}`);
      const caller = { userId: author.id, sessionId: sessionIdOf(author.token) };
      const later = { id: passed.id, caller, now: Date.now() + 2 * DAY };
      const restored = await service().store.write(restoreItem, later);
      assert.deepEqual([restored.status, restored.publish_at], ['draft', null]);
    });

    it('A draft beside an item in the trash is not due', async () => {
      const [author, { store }] = [await member(), service()];
      const [trashed, due] = [await write(author), await write(author)];
      const at = inMs(1_000);
      await done(author, 'PUT', `/api/content/${trashed.id}/draft`, { title: 'two', publish_at: at });
      await done(author, 'DELETE', `/api/content/${trashed.id}`);
      await done(author, 'PUT', `/api/content/${due.id}/draft`, { title: 'two', publish_at: at });
      // The job publishes the other one, whose time passed at the same moment.
      await until(
        async () => (await done(author, 'GET', `/api/content/${due.id}`)).version === 2,
        'the other draft is published',
      );
      const { due: found } = await store.read(findDue, { limit: 100 });
      assert.ok(!found.some(({ id }) => id === trashed.id));
    });

    it('A draft beside an item is published at its time, as one version by who saved it', async () => {
      const [author, other] = [await member(), await editor()];
      const { id } = await write(author, { title: 'one' });
      await done(other, 'PUT', `/api/content/${id}/draft`, { title: 'two', publish_at: PAST });
      await until(
        async () => (await done(undefined, 'GET', `/api/content/${id}`)).title === 'two',
        'the draft is published',
      );
      assertFailure(await ask(author, 'GET', `/api/content/${id}/draft`), 404, 'not_found');
      assert.deepEqual((await told(id, 2)).at(-1), ['content.published', 2, 'all']);
      const [version] = (await done(author, 'GET', `/api/content/${id}/versions`)).items;
      assert.deepEqual([version.version, version.by.id], [2, other.id]);
    });

    it('A draft is published at its time only if who saved it may still change the item', async () => {
      const [author, head] = [await member(), await admin()];
      const isDropped = async (change: object) => {
        const other = await editor();
        const { id } = await write(author, { title: 'one' });
        const draft = { title: 'two', publish_at: LATER };
        await done(other, 'PUT', `/api/content/${id}/draft`, draft);
        await done(head, 'PUT', `/api/users/${other.id}`, change);
        await passTimeOf(id);
        const now = () => done(author, 'GET', `/api/content/${id}/draft`);
        await until(async () => (await now()).publish_at === null, 'the draft has no time any more');
        assert.equal((await done(undefined, 'GET', `/api/content/${id}`)).title, 'one');
      };
      await Promise.all([{ disabled: true }, { role: 'member' }].map(isDropped));
    });

    it('A draft stays one at its time if its author may not publish it, or the item was changed', async () => {
      const [author, head] = [await member(), await admin()];
      const draft = await write(author, { status: 'draft' });
      await done(head, 'PUT', `/api/users/${author.id}`, { disabled: true });
      await done(head, 'PUT', `/api/content/${draft.id}`, { publish_at: PAST });
      const other = await member();
      const item = await write(other, { title: 'one' });
      const timed = await done(other, 'PUT', `/api/content/${item.id}/draft`, {
        title: 'two',
        publish_at: LATER,
      });
      await done(other, 'PUT', `/api/content/${item.id}`, { title: 'meanwhile' });
      await passTimeOf(item.id);
      for (const [account, id, because] of [
        [author, draft.id, 'account'],
        [other, item.id, 'version_conflict'],
      ] as const) {
        const events = () => done(head, 'GET', `/api/audit?event=publication_dropped&account=${account.id}`);
        await until(async () => (await events()).total === 1, 'the event is in the trail');
        assert.deepEqual((await events()).items[0].detail, { item: String(id), because });
      }
      const kept = await done(head, 'GET', `/api/content/${draft.id}`);
      assert.deepEqual([kept.status, kept.publish_at], ['draft', null]);
      const beside = await done(head, 'GET', `/api/content/${item.id}/draft`);
      // An editor who knew it with its time has to read it again.
      assert.deepEqual([beside.publish_at, beside.version], [null, timed.version + 1]);
      assert.equal(beside.saved_at, timed.saved_at, 'nobody saved it');
      assert.equal((await done(undefined, 'GET', `/api/content/${item.id}`)).title, 'meanwhile');
    });

    it('A draft stays one at its time if its author closed the account', async () => {
      const [author, head] = [await member(), await admin()];
      const { id } = await write(author, { status: 'draft' });
      await done(author, 'DELETE', '/api/users/me');
      await done(head, 'PUT', `/api/content/${id}`, { publish_at: PAST });
      const events = () => done(head, 'GET', `/api/audit?event=publication_dropped&account=${author.id}`);
      await until(async () => (await events()).total === 1, 'the event is in the trail');
      assert.deepEqual((await events()).items[0].detail, { item: String(id), because: 'account' });
      assert.equal((await done(head, 'GET', `/api/content/${id}`)).status, 'draft');
    });

    it('Two instances that find the same draft due publish it once', async () => {
      const [author, { store }] = [await member(), service()];
      const ids: number[] = [];
      for (let each = 0; each < 5; each++)
        ids.push((await write(author, { status: 'draft', publish_at: inMs(-1) })).id);
      const publish = (id: number) => store.write(publishDue, { id, authorId: author.id, past: undefined });
      await Promise.all(ids.flatMap((id) => [publish(id), publish(id)]));
      for (const id of ids) {
        assert.equal((await done(undefined, 'GET', `/api/content/${id}`)).version, 2);
        assert.deepEqual(
          (await told(id, 2)).map(([event]) => event),
          ['content.created', 'content.published'],
        );
      }
    });

    it('An author has a bounded number of drafts that wait for their time', async () => {
      const author = await member();
      const most = ROW_LIMITS.scheduledDrafts;
      const item = { title: 'one', content: '', status: 'draft', publish_at: LATER };
      const create = { action: 'create', item };
      for (let made = 0; made < most; made += 100)
        await done(author, 'POST', '/api/content/bulk', {
          operations: Array.from({ length: 100 }, () => create),
        });
      const refusals = [
        await ask(author, 'POST', '/api/content', item),
        await ask(author, 'POST', '/api/content', item, { 'idempotency-key': '"one-more"' }),
        await ask(author, 'POST', '/api/content/bulk', { operations: [create] }),
      ];
      const { id } = await write(author, { status: 'draft' });
      refusals.push(await ask(author, 'PUT', `/api/content/${id}`, { publish_at: LATER }));
      for (const refusal of refusals) assertFailure(refusal, 400, 'limit_reached');
      const [first, second] = (await done(author, 'GET', '/api/content?status=draft&per_page=2')).items;
      // A draft that waits already gets another time.
      await done(author, 'PUT', `/api/content/${first.id}`, { publish_at: inMs(3_600_000) });
      await done(author, 'PUT', `/api/content/${first.id}`, { publish_at: null });
      await done(author, 'PUT', `/api/content/${id}`, { publish_at: LATER });
      // What is in the trash does not count until it is restored.
      await done(author, 'DELETE', `/api/content/${id}`);
      await done(author, 'POST', '/api/content', item);
      const restore = () => ask(author, 'POST', `/api/content/trash/${id}/restore`);
      assertFailure(await restore(), 400, 'limit_reached');
      await done(author, 'DELETE', `/api/content/${second.id}`);
      assert.equal((await restore()).status, 200);
      await done(author, 'DELETE', `/api/content/${id}`);
      await done(author, 'POST', '/api/content', item);
      await execOn(settings, `UPDATE content SET publish_at = 1 WHERE id = ${id}`);
      const passed = await restore();
      assert.deepEqual([passed.status, passed.body.data.publish_at], [200, null], 'its time counts nothing');
    });
  });
});

for (const { name, newPlace } of PLACES)
  it(`An author has a bounded number of drafts beside items that wait for their time, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const settings = async () => ({ DATABASE_URL: place.url });
    const service = await startService(t, { name, settings });
    const { ask, member, write } = requestsTo(() => service);
    const [author, other] = [await member(), await member()];
    await place.sql(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROW_LIMITS.scheduledDrafts})
        INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
        SELECT ${author.id}, 't', '', '', '[]', 1, 0, 0 FROM n`,
      `INSERT INTO content_drafts (content_id, version, over_version, written, publish_at, saved_at, saved_by)
        SELECT id, 1, 1, '{}', ${Date.parse(LATER)}, 0, ${author.id} FROM content`,
    );
    const schedule = async (who: typeof author) => {
      const { id } = await write(who, { title: 'one' });
      return ask(who, 'PUT', `/api/content/${id}/draft`, { title: 'two', publish_at: LATER });
    };
    assertFailure(await schedule(author), 400, 'limit_reached');
    assert.equal((await schedule(other)).status, 200);
    // A draft that waits already gets another time.
    const waiting = await ask(author, 'PUT', '/api/content/1/draft', { publish_at: inMs(3_600_000) });
    assert.equal(waiting.status, 200);
    // What is in the trash does not count until it is restored.
    await place.sql(`UPDATE content SET visible = 0, trashed_at = ${Date.now()} WHERE title = 't'`);
    const { body, status } = await schedule(author);
    assert.equal(status, 200);
    await place.sql(`UPDATE content SET visible = 1, trashed_at = NULL WHERE title = 't'`);
    const path = `/api/content/${body.data.id}`;
    await ask(author, 'DELETE', path);
    const restore = () => ask(author, 'POST', `/api/content/trash/${body.data.id}/restore`);
    assertFailure(await restore(), 400, 'limit_reached');
    await place.sql(`UPDATE content_drafts SET publish_at = 1 WHERE content_id = ${body.data.id}`);
    assert.equal((await restore()).status, 200, 'a time that has passed counts nothing');
  });

for (const { name, newPlace } of PLACES)
  it(`A time that passes in the trash is taken away once, of however many drafts, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const service = await startHere(t, { DATABASE_URL: place.url });
    const author = await requestsTo(() => service).member();
    await place.sql(...trashedDrafts(author.id, 300));
    const waiting = () => place.sql('SELECT 1 FROM content_drafts WHERE publish_at IS NOT NULL LIMIT 1');
    await until(async () => (await waiting()).length === 0, 'no draft in the trash is due any more');
    // The service reads one state in a turn, which may be from before the write that the file has already.
    await nextTurn();
    assert.deepEqual(await service.store.read(findDue, { limit: 100 }), { due: [], isMore: false });
  });

/** So many items in the trash that wait for their time, and as many there whose drafts do, all of them due. */
function trashedDrafts(authorId: number, count: number): string[] {
  const insert = (columns: string, values: string) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO content
        (author_id, title, content, category, tags, version, created_at, updated_at, visible, trashed_at, ${columns})
      SELECT ${authorId}, 't', '', '', '[]', 1, 0, 0, 0, ${Date.now()}, ${values} FROM n`;
  return [
    insert('status, publish_at', `'draft', 1`),
    insert('status', `'published'`),
    `INSERT INTO content_drafts (content_id, version, over_version, written, publish_at, saved_at, saved_by)
      SELECT id, 1, 1, '{}', 1, 0, ${authorId} FROM content WHERE status = 'published'`,
  ];
}

const AN_AUTHOR = `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
  VALUES ('a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`;

it('The drafts of an author that wait are counted without those in the trash, and without all other items, on SQLite', async (t) => {
  const place = await newMigratedPlace(t, newSqlitePlace);
  await place.sql(AN_AUTHOR, ...trashedDrafts(1, 2_000), 'ANALYZE');
  const plans = async (require: typeof requireScheduleOfItem) => {
    const run = (db: Db, authorId: number, engine: Engine) =>
      require(db, { ...engine, lock: async () => undefined }, authorId);
    return (await plansOn(t, place.url, { run }))(1);
  };
  assert.deepEqual(await plans(requireScheduleOfItem), [
    'SEARCH content USING INDEX content_waiting_of (author_id=?)',
  ]);
  assert.deepEqual(await plans(requireScheduleBeside), [
    'SEARCH draft USING COVERING INDEX content_drafts_publish_at (publish_at>?)',
    'SEARCH content USING COVERING INDEX content_author (author_id=? AND visible=? AND id=? AND rowid=?)',
  ]);
});

it('A page of an export goes on where the one before ended, and sorts nothing, on SQLite', async (t) => {
  const place = await newMigratedPlace(t, newSqlitePlace);
  await place.sql(
    AN_AUTHOR,
    ...trashedDrafts(1, 200),
    `INSERT INTO content_versions
      (content_id, version, title, category, tags, changed_at, replaced_at, replaced_members, bytes, content)
      SELECT 300, id, 't', '', '[]', 0, 0, '[]', 0, '' FROM content`,
    'ANALYZE',
  );
  const plansOf = async (operation: Parameters<typeof plansOn<SectionRequest>>[2], after: number[]) =>
    (await plansOn(t, place.url, operation))({ userId: 1, after });
  for (const plan of [await plansOf(exportDrafts, [0, 20]), await plansOf(exportVersions, [0, 300, 20])]) {
    assert.ok(plan.some((step) => /content_author \(author_id=\? AND visible=\? AND id>\?\)/.test(step)));
    assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), plan.join('\n'));
  }
  const versions = await plansOf(exportVersions, [0, 300, 20]);
  assert.ok(
    versions.some((step) => /\(content_id=\? AND version>\?\)/.test(step)),
    versions.join('\n'),
  );
});

onEveryEngine('Drafts that are published while they are read', (engine) => {
  it('An author finds a draft by its id and by its slug, also where it is published at that moment', async (t) => {
    let publish: (() => Promise<unknown>) | undefined;
    const before = (name: string) => (name.includes('.find_draft') ? publish?.() : undefined);
    const wrap = (store: Store) => observed(store, { before });
    const { url } = await startService(t, engine, {}, { wrap });
    const { token } = await newAccount(url);
    for (const pathOf of [
      ({ id }: { id: number }) => `/api/content/${id}`,
      ({ slug }: { slug?: string }) => `/api/content/by-slug/${slug}`,
    ]) {
      publish = undefined;
      const item = await newItem(url, token, { status: 'draft' });
      publish = () => call(url, 'POST', `/api/content/${item.id}/publish`, { token });
      const { status, body } = await call(url, 'GET', pathOf(item), { token });
      assert.deepEqual([status, body.data?.status], [200, 'published']);
    }
  });
});

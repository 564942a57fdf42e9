import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { create } from '../../src/content/create.ts';
import { itemStored, sumStored } from '../../src/content/stored.ts';
import { update } from '../../src/content/update.ts';
import type { Store } from '../../src/store/store.ts';
import { nextHistoryDue, removeOldVersions } from '../../src/versions/old-versions.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { during, outcomeOf } from '../support/during.ts';
import { type Lifetime, lifetimeOfSuite } from '../support/engines.ts';
import { longText } from '../support/long-text.ts';
import { passMinute } from '../support/minutes.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import { PLACES, type Place } from '../support/place.ts';
import { type RunningService, startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2030, 0, 1);

interface Running extends RunningService {
  readonly place: Place;
  readonly change: (id: number, account: Account, body: object) => Promise<void>;
  readonly numbers: (id: number, account: Account) => Promise<number[]>;
  /** Waits until a run of the upkeep has begun and ended. */
  readonly upkeepRuns: () => Promise<void>;
}

// One after another: a minute passes for all services of this process at once.
for (const { name, newPlace } of PLACES)
  describe(`Earlier versions, on ${name}`, { concurrency: 1 }, () => {
    /** `meanwhile`: called before each operation of the store. */
    async function start(
      t: Lifetime,
      settings: Record<string, string> = {},
      meanwhile: (operation: string) => unknown = () => {},
    ): Promise<Running> {
      const place = await newPlace(t);
      const engine = { name, settings: async () => ({ DATABASE_URL: place.url }) };
      let runs = 0;
      const before = (operation: string) => {
        if (operation === nextHistoryDue.name) runs++;
        return meanwhile(operation);
      };
      const wrap = (store: Store) => observed(store, { before });
      const service = await startService(t, engine, settings, { clock: () => NOW, wrap });
      const ask = (method: string, path: string, token: string, body?: object) =>
        call(service.url, method, path, { token, ...(body && { body }) });
      return {
        ...service,
        place,
        change: async (id, { token }, body) => {
          const answer = await ask('PUT', `/api/content/${id}`, token, body);
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
        },
        numbers: async (id, { token }) => {
          const { body } = await ask('GET', `/api/content/${id}/versions?per_page=100`, token);
          return body.data.items.map(({ version }: { version: number }) => version);
        },
        upkeepRuns: () => {
          // The second run begins when the first has ended.
          const enough = runs + 2;
          return until(() => {
            passMinute();
            return runs >= enough;
          }, 'the upkeep runs');
        },
      };
    }

    /** Lets minutes pass until the statement finds so many rows. */
    async function untilRows(place: Place, rows: number, sql: string): Promise<void> {
      const elapsed = stopwatch();
      for (;;) {
        const found = (await place.sql(sql)).length;
        if (found === rows) return;
        assert.ok(elapsed() < 20_000, `there are ${found}`);
        await pause(50);
        passMinute();
      }
    }

    it('Earlier versions stay for 30 days after they were replaced, and longer where they are among the newest', async (t) => {
      const service = await start(t, { VERSIONS_KEEP: '1' });
      const { url, place, change, numbers, upkeepRuns, passTime } = service;
      let author = await newAccount(url);
      const signInAgain = async () => {
        const body = { username: author.username, password: 'correct horse battery' };
        const { data } = (await call(url, 'POST', '/api/auth/login', { body })).body;
        author = { ...author, token: data.token };
      };
      const base = longText('a', 20 * KIB);
      const { id } = await newItem(url, author.token, { content: base });
      for (let version = 2; version <= 6; version++)
        await change(id, author, { content: `${version} ${base}` });
      const due = 'SELECT content_id FROM content_history_due';
      passTime(20 * DAY);
      await signInAgain();
      for (let version = 7; version <= 8; version++)
        await change(id, author, { content: `${version} ${base}` });
      await upkeepRuns();
      assert.deepEqual(await numbers(id, author), [8, 7, 6, 5, 4, 3, 2, 1]);
      passTime(10 * DAY);
      await signInAgain();
      // The first five were replaced 30 days ago, the sixth only made then. The base of the others stays with them.
      await untilRows(place, 3, 'SELECT version FROM content_versions');
      assert.deepEqual(await numbers(id, author), [8, 7, 6, 1]);
      // The upkeep does not come back to the item before the next of its versions is due.
      await untilRows(place, 1, `${due} WHERE due_at > ${NOW + 30 * DAY}`);
      const read = await call(url, 'GET', `/api/content/${id}/versions/6`, { token: author.token });
      assert.equal(read.body.data.content, `6 ${base}`);
      await change(id, author, { content: 'short' });
      await change(id, author, { content: 'shorter' });
      assert.deepEqual(await numbers(id, author), [10, 9, 8, 7, 6, 1]);
      passTime(31 * DAY);
      await untilRows(place, 1, 'SELECT version FROM content_versions');
      await untilRows(place, 0, due);
    });

    if (name === 'PostgreSQL')
      it('The removal of old versions waits for a change of their item', async (t) => {
        const { url, store, place, change } = await start(t, {});
        const author = await newAccount(url);
        const { id } = await newItem(url, author.token);
        for (const title of ['two', 'three']) await change(id, author, { title });
        const locked = [`SELECT 1 FROM content WHERE id = ${id} FOR NO KEY UPDATE`];
        const outcomes = await during(place.url, locked, 1, () => [
          outcomeOf(store.write(removeOldVersions, { now: NOW + 31 * DAY, keep: 1 })),
        ]);
        assert.deepEqual(outcomes, ['done']);
        assert.equal((await place.sql('SELECT version FROM content_versions')).length, 1);
      });

    describe('on one service', { concurrency: 1 }, () => {
      let meanwhile: (() => Promise<unknown>) | undefined;
      const lifetime = lifetimeOfSuite();
      let running: Running | undefined;
      before(async () => {
        running = await start(lifetime, { TRASH_DAYS: '0' }, async (operation) => {
          if (operation !== 'content.update' || !meanwhile) return;
          await meanwhile();
          meanwhile = undefined;
        });
      });
      const shared = () => {
        if (!running) throw new Error('The service starts with the first test.');
        return running;
      };

      it('Earlier versions go with their item, a moment after it', async () => {
        const { url, place, change } = shared();
        const author = await newAccount(url);
        const [gone, kept] = [await newItem(url, author.token), await newItem(url, author.token)];
        for (const { id } of [gone, kept])
          for (const title of ['two', 'three']) await change(id, author, { title });
        assert.equal(
          (await call(url, 'DELETE', `/api/content/${gone.id}`, { token: author.token })).status,
          200,
        );
        const ofBoth = `content_id IN (${gone.id}, ${kept.id})`;
        await untilRows(place, 2, `SELECT version FROM content_versions WHERE ${ofBoth}`);
        await untilRows(place, 1, `SELECT content_id FROM content_history_due WHERE ${ofBoth}`);
      });

      it('Earlier versions of a mebibyte, four with ten words changed in each, take less than three mebibytes', async (t) => {
        const { url, place, change } = shared();
        const author = await newAccount(url);
        const words = longText('w', MIB - 2_000).split('\n');
        const size = async () => {
          const [row] = await place.sql(
            name === 'SQLite'
              ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
              : `SELECT pg_total_relation_size('content_versions')::int AS bytes`,
          );
          return Number(row?.bytes);
        };
        const { id } = await newItem(url, author.token, { content: words.join('\n') });
        const before = await size();
        const texts = [words.join('\n')];
        for (let edit = 1; edit <= 4; edit++) {
          for (let word = edit * 10; word < edit * 10 + 10; word++)
            words[(word * 7_919) % words.length] += ` edit${word}`;
          texts.push(words.join('\n'));
          await change(id, author, { content: texts.at(-1) });
        }
        const grown = (await size()) - before;
        assert.ok(grown < 3 * MIB, `they take ${grown} bytes`);
        const elapsed = stopwatch();
        for (const version of [1, 3, 4]) {
          const { body } = await call(url, 'GET', `/api/content/${id}/versions/${version}`, {
            token: author.token,
          });
          assert.ok(body.data.content === texts[version - 1], `version ${version} is another text`);
        }
        t.diagnostic(`4 versions take ${grown} bytes; one is read in ${Math.round(elapsed() / 3)} ms`);
      });

      it('Earlier versions name no account that is removed, and go with items that go with their author', async () => {
        const service = shared();
        const { url, place, change } = service;
        const [author, editor, admin] = [
          await newAccount(url),
          await newWithRole(service, 'editor'),
          await newWithRole(service, 'admin'),
        ];
        const [own, kept] = [await newItem(url, editor.token), await newItem(url, author.token)];
        for (const { id } of [own, kept])
          for (const content of ['two', 'three']) await change(id, editor, { content });
        await change(kept.id, author, { content: 'four' });
        const remove = async ({ id }: Account, content: string) => {
          const answer = await call(url, 'DELETE', `/api/users/${id}?content=${content}`, {
            token: admin.token,
          });
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          await untilRows(place, 0, `SELECT id FROM users WHERE id = ${id}`);
        };
        await remove(editor, 'delete');
        assert.deepEqual(await place.sql(`SELECT 1 FROM content_versions WHERE content_id = ${own.id}`), []);
        const { body } = await call(url, 'GET', `/api/content/${kept.id}/versions`, { token: author.token });
        assert.deepEqual(
          body.data.items.map(({ by }: { by: { username: string } }) => by.username),
          [author.username, 'deleted account', 'deleted account', author.username],
        );
        await remove(author, 'keep');
        const left = await call(url, 'GET', `/api/content/${kept.id}/versions`, { token: admin.token });
        assert.deepEqual(
          left.body.data.items.map(({ by }: { by: { username: string } }) => by.username),
          Array(4).fill('deleted account'),
        );
        const due = `SELECT content_id FROM content_history_due WHERE content_id IN (${own.id}, ${kept.id})`;
        await untilRows(place, 1, due);
      });

      it('Earlier versions are in the export of their author, each once, with their whole texts', async () => {
        const { url, change } = shared();
        const author = await newAccount(url);
        const many = async (operations: object[]) => {
          const asked = { token: author.token, body: { operations } };
          const { status, body } = await call(url, 'POST', '/api/content/bulk', asked);
          assert.equal(status, 200, JSON.stringify(body));
        };
        const base = longText('e', 150 * KIB);
        const { id: long } = await newItem(url, author.token, { content: base, tags: ['a'] });
        for (const letter of ['b', 'c', 'd']) await change(long, author, { content: `${letter} ${base}` });
        const { id: short } = await newItem(url, author.token, { content: '0' });
        // More versions and more items than the export reads at once.
        const versionsOfShort = Array.from({ length: 60 }, (_, index) => index + 1);
        await many(
          versionsOfShort.map((next) => ({ action: 'update', id: short, change: { content: `${next}` } })),
        );
        await many(Array(100).fill({ action: 'create', item: { title: 'A title', content: '' } }));
        const { id: last } = await newItem(url, author.token, { title: 'one' });
        await change(last, author, { title: 'two' });
        const { body } = await call(url, 'GET', '/api/users/me/export', { token: author.token });
        const versions: { content_id: number; version: number; content: string }[] =
          body.data.content_versions;
        assert.deepEqual(
          versions.map(({ content_id, version }) => `${content_id} ${version}`),
          [
            ...[1, 2, 3].map((version) => `${long} ${version}`),
            ...versionsOfShort.map((version) => `${short} ${version}`),
            `${last} 1`,
          ],
        );
        const at = new Date(NOW).toISOString();
        const [first, second] = versions;
        const members = { title: 'A title', category: '', tags: ['a'], changed_at: at };
        assert.deepEqual(first, { content_id: long, version: 1, content: base, ...members });
        assert.equal(second?.content, `b ${base}`);
      });

      it('Earlier versions count at once as much as their sum does, whole and as differences', async () => {
        const { url, store } = shared();
        const { id: userId, token } = await newAccount(url);
        const content = longText('w', 20 * KIB);
        const { id } = await newItem(url, token, { content, meta: { note: 'é'.repeat(2 * KIB) } });
        const caller = { userId, sessionId: sessionIdOf(token) };
        const stored = () => store.read(sumStored, { userId });
        const tags = JSON.stringify(['one', 'two']);
        for (const columns of [
          { content: `${content} one` },
          { content: `${content} two`, tags, category: 'é' },
          { content: `${content} three`, tags: '[]' },
          { title: 'three' },
        ]) {
          const before = await stored();
          const { added } = await update(store, { id, caller, columns, now: NOW });
          assert.equal(added, (await stored()) - before, JSON.stringify(Object.keys(columns)));
        }
      });

      it('The tags of an item count by their copies in indexes, at once and in the sum, and those of a version once', async () => {
        const { url, store } = shared();
        const { id: userId, username, token } = await newAccount(url);
        const session = { sessionId: sessionIdOf(token), scope: null, hasSecondFactor: false };
        const caller = { userId, username, ...session };
        const tags = Array.from({ length: 32 }, (_, at) => '\u{20000}'.repeat(62) + String(at + 10));
        const item = { title: 'one', content: '', category: 'c', tags };
        const bytes = Buffer.byteLength(JSON.stringify(tags));
        const stored = () => store.read(sumStored, { userId });
        const row = await create(store, { item, caller, now: NOW });
        const ofItem = await stored();
        assert.equal(itemStored(row), ofItem);
        assert.ok(ofItem > 10 * bytes, `${bytes} bytes count as ${ofItem}`);
        await update(store, { id: row.id, caller, columns: { title: 'two' }, now: NOW });
        const ofVersion = (await stored()) - ofItem;
        assert.ok(ofVersion > bytes && ofVersion < 2 * bytes, `${bytes} bytes count as ${ofVersion}`);
      });

      it('A change whose base was removed meanwhile keeps its version whole', async () => {
        const { url, place, change, numbers } = shared();
        const author = await newAccount(url);
        const base = longText('m', 20 * KIB);
        const { id } = await newItem(url, author.token, { content: base });
        await change(id, author, { content: `2 ${base}` });
        meanwhile = () => place.sql(`DELETE FROM content_versions WHERE content_id = ${id}`);
        await change(id, author, { content: `3 ${base}` });
        assert.equal(meanwhile, undefined);
        assert.deepEqual(await numbers(id, author), [3, 2]);
        const { body } = await call(url, 'GET', `/api/content/${id}/versions/2`, { token: author.token });
        assert.ok(body.data?.content === `2 ${base}`, 'the text is whole');
      });
    });
  });

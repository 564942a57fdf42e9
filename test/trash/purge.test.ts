import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { purgeDue } from '../../src/trash/purge.ts';
import { type Account, call, login, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { type Lifetime, lifetimeOfSuite } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { passMinute } from '../support/minutes.ts';
import { newWithRole } from '../support/people.ts';
import { PLACES, type Place } from '../support/place.ts';
import { type RunningService, startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';

const KIB = 1024;
const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2030, 0, 1);

interface Running extends RunningService {
  readonly place: Place;
  readonly ask: (method: string, path: string, token?: string, body?: object) => ReturnType<typeof call>;
  readonly trash: (id: number, account: Account) => Promise<void>;
  /** Signs in again, because time has passed. */
  readonly again: (account: Account) => Promise<Account>;
}

// One after another: a minute passes for all services of this process at once.
for (const { name, newPlace } of PLACES)
  describe(`The end of the trash, on ${name}`, { concurrency: 1 }, () => {
    async function start(
      t: Lifetime,
      settings: Record<string, string> = {},
      given?: Place,
    ): Promise<Running> {
      const place = given ?? (await newPlace(t));
      const engine = { name, settings: async () => ({ DATABASE_URL: place.url }) };
      const service = await startService(t, engine, settings, { clock: () => NOW });
      const { url } = service;
      const ask: Running['ask'] = (method, path, token, body) =>
        call(url, method, path, { token, ...(body && { body }) });
      return {
        ...service,
        place,
        ask,
        trash: async (id, { token }) => {
          assert.equal((await ask('DELETE', `/api/content/${id}`, token)).status, 200);
        },
        again: async (account) => ({ ...account, ...(await login(url, account.username)) }),
      };
    }

    /** Lets minutes pass until the statement finds so many rows. */
    async function untilRows(place: Place, rows: number, sql: string): Promise<void> {
      const elapsed = stopwatch();
      for (;;) {
        const found = (await place.sql(sql)).length;
        if (found === rows) return;
        assert.ok(elapsed() < 60_000, `there are ${found}`);
        await pause(50);
        passMinute();
      }
    }

    it('An item leaves the trash after its days with its versions, and not a moment before', async (t) => {
      const { url, place, ask, trash, again, passTime } = await start(t, { TRASH_DAYS: '2' });
      let author = await newAccount(url);
      const text = 'x'.repeat(700 * KIB);
      const ids: number[] = [];
      for (let each = 0; each < 3; each++) {
        const { id } = await newItem(url, author.token, { content: text });
        await ask('PUT', `/api/content/${id}`, author.token, { content: `${each} ${text}` });
        ids.push(id);
      }
      const [first = 0, second = 0, third = 0] = ids;
      for (const id of [second, third]) await trash(id, author);
      passTime(DAY);
      author = await again(author);
      await trash(first, author);
      passTime(DAY - 1);
      author = await again(author);
      passMinute();
      await pause(100);
      const newest = (await ask('GET', '/api/content/trash?per_page=1', author.token)).body.data;
      assert.deepEqual([newest.total, newest.items[0].id], [3, first]);
      passTime(1);
      await untilRows(place, 1, 'SELECT id FROM content');
      await untilRows(place, 1, 'SELECT version FROM content_versions');
      await untilRows(place, 1, 'SELECT content_id FROM content_history_due');
      assert.equal((await ask('POST', `/api/content/trash/${first}/restore`, author.token)).status, 200);
      const versions = await ask('GET', `/api/content/${first}/versions/1`, author.token);
      assert.ok(versions.body.data.content === text);
    });

    it('Without days for the trash a deletion is for good, and what was in the trash before ends', async (t) => {
      const before = await start(t);
      const author = await newAccount(before.url);
      const { id: earlier } = await newItem(before.url, author.token);
      await before.trash(earlier, author);
      await before.stop();
      const { url, place, ask, trash } = await start(t, { TRASH_DAYS: '0' }, before.place);
      const inBulk = async (id: number) => {
        const operations = [{ action: 'delete', id }];
        assert.equal((await ask('POST', '/api/content/bulk', author.token, { operations })).status, 200);
      };
      for (const remove of [(id: number) => trash(id, author), inBulk]) {
        const { id } = await newItem(url, author.token);
        await ask('PUT', `/api/content/${id}`, author.token, { title: 'two' });
        await remove(id);
        assert.deepEqual(await place.sql(`SELECT id FROM content WHERE id = ${id}`), []);
        assertFailure(await ask('POST', `/api/content/trash/${id}/restore`, author.token), 404, 'not_found');
      }
      await untilRows(place, 0, 'SELECT id FROM content');
      await untilRows(place, 0, 'SELECT version FROM content_versions');
    });

    it('An account that closes and opens again keeps its trash, and the trash ends with the account', async (t) => {
      const service = await start(t);
      const { url, place, ask, trash } = service;
      const [author, editor] = [await newAccount(url), await newWithRole(service, 'editor')];
      const admin = await newWithRole(service, 'admin');
      const [own, foreign] = [await newItem(url, author.token), await newItem(url, author.token)];
      const kept = await newItem(url, author.token);
      await ask('PUT', `/api/content/${own.id}`, author.token, { title: 'two' });
      await trash(own.id, author);
      await trash(foreign.id, editor);
      const seen = async () => {
        for (const { id } of [own, foreign])
          assert.equal((await ask('GET', `/api/content/${id}`, admin.token)).status, 404);
        const { items } = (await ask('GET', '/api/content/trash', admin.token)).body.data;
        return items.map((item: { id: number; trashed_by: { username: string } }) => [
          item.id,
          item.trashed_by.username,
        ]);
      };
      const both = [
        [foreign.id, editor.username],
        [own.id, author.username],
      ];
      assert.equal((await ask('DELETE', '/api/users/me', author.token)).status, 200);
      assert.deepEqual(await seen(), both);
      const body = { username: author.username, password: PASSWORD };
      assert.equal((await ask('POST', '/api/auth/restore', undefined, body)).status, 200);
      assert.deepEqual(await seen(), both);
      const remove = async ({ id }: Account) => {
        assert.equal((await ask('DELETE', `/api/users/${id}`, admin.token)).status, 200);
        await untilRows(place, 0, `SELECT id FROM users WHERE id = ${id}`);
      };
      await remove(editor);
      assert.deepEqual(await seen(), [[foreign.id, 'deleted account'], both[1]]);
      await remove(author);
      assert.deepEqual(await seen(), []);
      assert.deepEqual(await place.sql('SELECT version FROM content_versions'), []);
      const { author: left } = (await ask('GET', `/api/content/${kept.id}`)).body.data;
      assert.equal(left.username, 'deleted account');
      assert.equal((await place.sql('SELECT id FROM content')).length, 1);
    });

    it('What is in the trash counts for its author until it is deleted for good', async (t) => {
      const { url, ask, trash, passTime } = await start(t, { STORED_MB: '1' });
      const { token, ...author } = await newAccount(url);
      const create = () => ask('POST', '/api/content', token, { title: 't', content: 'x' });
      const { id } = await newItem(url, token, { content: 'x'.repeat(600 * KIB) });
      await ask('PUT', `/api/content/${id}`, token, { content: 'y'.repeat(600 * KIB) });
      assertFailure(await create(), 400, 'storage_full');
      await trash(id, { token, ...author });
      passTime(11_000);
      assertFailure(await create(), 400, 'storage_full');
      assert.equal((await ask('DELETE', `/api/content/trash/${id}`, token)).status, 200);
      passTime(11_000);
      assert.equal((await create()).status, 200);
    });

    describe('on one service', { concurrency: 1 }, () => {
      const lifetime = lifetimeOfSuite();
      let running: Running | undefined;
      before(async () => {
        running = await start(lifetime);
      });
      const shared = () => {
        if (!running) throw new Error('The service starts with the first test.');
        return running;
      };

      it('The export of an account has what is in its trash, and since when', async () => {
        const { url, ask, trash } = shared();
        const author = await newAccount(url);
        const [thrown, kept] = [await newItem(url, author.token), await newItem(url, author.token)];
        await trash(thrown.id, author);
        const { content } = (await ask('GET', '/api/users/me/export', author.token)).body.data;
        assert.deepEqual(
          content.map(({ id, trashed_at }: { id: number; trashed_at?: string }) => [id, trashed_at]),
          [
            [thrown.id, new Date(NOW).toISOString()],
            [kept.id, undefined],
          ],
        );
      });

      it('An item that is restored while the trash is emptied is whole, or is gone', async () => {
        const { url, store, place, ask, trash } = shared();
        const author = await newAccount(url);
        for (let round = 0; round < 10; round++) {
          const { id } = await newItem(url, author.token);
          await ask('PUT', `/api/content/${id}`, author.token, { title: 'two' });
          await trash(id, author);
          const [{ status }] = await Promise.all([
            ask('POST', `/api/content/trash/${id}/restore`, author.token),
            store.write(purgeDue, { until: NOW }),
          ]);
          const read = await ask('GET', `/api/content/${id}/versions/1`, author.token);
          assert.equal(read.status, status);
          const rows = await place.sql(`SELECT visible FROM content WHERE id = ${id}`);
          assert.deepEqual(
            rows.map(({ visible }) => Number(visible)),
            status === 200 ? [1] : [],
          );
        }
      });

      it('No statement shows an item that is in the trash', async () => {
        const { url, place, trash } = shared();
        const author = await newAccount(url);
        const { id } = await newItem(url, author.token);
        await trash(id, author);
        await assert.rejects(place.sql(`UPDATE content SET visible = 1 WHERE id = ${id}`), /content_trashed/);
      });
    });
  });

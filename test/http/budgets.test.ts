import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { busy, unavailable } from '../../src/domain/failure.ts';
import type { Store } from '../../src/store/store.ts';
import { Authenticator, SITE } from '../support/authenticator.ts';
import {
  type Account,
  call,
  login,
  newAccount,
  newItem,
  newName,
  PASSWORD,
  refresh,
} from '../support/client.ts';
import {
  lifetimeOfSuite,
  onEveryEngine,
  onOneEngine,
  sameDatabase,
  type TestEngine,
} from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { logInWith, newPasskey, PASSKEYS, requestOptions } from '../support/passkeys.ts';
import { newWithRole } from '../support/people.ts';
import { beginTotp, codeOf, complete, guard } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { refusedThen, signIn, spend, startBehindProxy, statuses, WRONG } from '../support/sign-in.ts';
import { describeInTurn, describeOnService, type InTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);
/** More than half of a mebibyte. */
const TEXT = 'x'.repeat(600 * 1024);
const STORED = { STORED_MB: '1' };
/** An operation on an item that is not there. */
const MISSING = { action: 'delete', id: 1_000_000 };
const [HOME, ELSEWHERE] = ['198.51.100.1', '203.0.113.9'];

// Counted in memory, which is the same on every engine.
onOneEngine('Budgets of sources', (engine) => {
  const suite = (service: () => InTurn) => {
    it('A source that registered its accounts of an hour gets 429, and other sources do not', async () => {
      const { url, passTime } = service();
      const register = (from: string) => {
        const username = newName();
        const body = { username, email: `${username}@example.org`, password: PASSWORD };
        return call(url, 'POST', '/api/auth/register', { body, headers: { 'x-forwarded-for': from } });
      };
      const neighbours = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'];
      const seen = await statuses(4, (index) => register(neighbours[index] ?? ''));
      assert.deepEqual(seen, [200, 200, 200, 429]);
      const refused = await register('2001:db8::5');
      assertFailure(refused, 429, 'too_many_requests');
      assert.equal(refused.headers.get('retry-after'), '1200');
      assert.equal((await register('203.0.113.1')).status, 200);
      passTime(HOUR / 3);
      assert.deepEqual(await statuses(2, () => register('2001:db8::1')), [200, 429]);
    });

    it('A source that sent too many refused refresh tokens gets 429 for those, and never for a good one', async () => {
      const { url } = service();
      let { refreshToken } = await newAccount(url);
      const refreshes = async () => {
        const { status, body } = await refresh(url, refreshToken);
        refreshToken = body.data.refresh_token;
        return status;
      };
      for (let each = 0; each < 5; each++) assert.equal(await refreshes(), 200);
      const invented = await statuses(4, () => refresh(url, `stoa_rt_${'x'.repeat(75)}`));
      assert.deepEqual(invented, refusedThen(3, 429));
      for (let each = 0; each < 5; each++) assert.equal(await refreshes(), 200);
    });
  };
  describeInTurn(engine, 'of one service', suite, {
    TRUST_PROXY: '127.0.0.1',
    REGISTRATIONS_PER_HOUR: '3',
    REFUSED_REFRESHES_PER_HOUR: '3',
  });

  it('A source registers without a limit where REGISTRATIONS_PER_HOUR is 0', async (t) => {
    const { url } = await startBehindProxy(t, engine, { REGISTRATIONS_PER_HOUR: '0' });
    for (let each = 0; each < 3; each++) await newAccount(url);
  });
});

onOneEngine('Budgets of accounts', (engine) => {
  let made: Promise<Record<string, string>> | undefined;
  /** The database of two instances. */
  const shared: TestEngine = { name: engine.name, settings: (t) => (made ??= engine.settings(t)) };
  const suite = (service: () => InTurn) => {
    const lifetime = lifetimeOfSuite();
    let elsewhere = '';
    before(async () => {
      const { url } = await startService(lifetime, shared, STORED, { clock: () => service().now() });
      elsewhere = url;
    });

    it('A repeated token of an ended session costs the database nothing', async () => {
      const operations: string[] = [];
      service().beforeOperations((name) => operations.push(name));
      const { url } = service();
      const { token, refreshToken } = await newAccount(url);
      await call(url, 'POST', '/api/auth/logout', { token });
      assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
      const before = operations.filter((name) => name.includes('token')).length;
      assert.equal(before, 2);
      for (let each = 0; each < 5; each++)
        assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
      assert.equal(operations.filter((name) => name.includes('token')).length, before);
    });

    it('A change counts by what it adds to the stored text, and what is refused counts nothing', async () => {
      let isAway = false;
      service().beforeOperations((name) => {
        if (isAway && name.startsWith('content.')) throw unavailable();
      });
      const { url } = service();
      const [{ token }, other] = [await newAccount(url), await newAccount(url)];
      const theirs = await newItem(url, other.token);
      const { id } = await newItem(url, token, { content: 'x' });
      const body = { title: 't', content: TEXT };
      const put = (target: number) => call(url, 'PUT', `/api/content/${target}`, { token, body });
      assert.deepEqual(await statuses(3, () => put(id)), [200, 200, 200]);
      assert.deepEqual(await statuses(2, () => put(999_999)), [404, 404]);
      assert.deepEqual(await statuses(2, () => put(theirs.id)), [403, 403]);
      const create = () => call(url, 'POST', '/api/content', { token, body });
      isAway = true;
      assert.deepEqual(await statuses(2, create), [503, 503]);
      assert.deepEqual(await statuses(2, () => put(id)), [503, 503]);
      isAway = false;
      assert.deepEqual(await statuses(2, create), [200, 400]);
    });

    it('An account writes while as many of its searches wait as it may have', async () => {
      const gate = Promise.withResolvers<void>();
      service().beforeOperations((name) => (name === 'content.list' ? gate.promise : undefined));
      const { url } = service();
      const { token } = await newAccount(url);
      const full = Promise.withResolvers<void>();
      let isOver = false;
      const searchOn = async () => {
        while (!isOver) {
          const { status } = await call(url, 'GET', '/api/content?tag=a', { token });
          if (status !== 429) continue;
          full.resolve();
          // Those that wait stay there, because the gate holds them.
          return;
        }
      };
      const searches = Array.from({ length: 160 }, searchOn);
      await full.promise;
      const created = newItem(url, token);
      isOver = true;
      await created;
      gate.resolve();
      await Promise.all(searches);
    });

    it('The stored text of an account is counted once although many writes begin at once', async () => {
      let sums = 0;
      service().beforeOperations((name) => void (name === 'content.sum_stored' && sums++));
      const { url } = service();
      const { token } = await newAccount(url);
      await Promise.all(Array.from({ length: 16 }, () => newItem(url, token)));
      assert.equal(sums, 1);
    });

    it('The stored text of an account is summed again in three minutes where the database had no time for it', async () => {
      let sums = 0;
      service().beforeOperations((name) => {
        if (name === 'content.sum_stored' && sums++ === 0) throw busy('Too many searches.', 1);
      });
      const { url, passTime } = service();
      const { token } = await newAccount(url);
      await newItem(url, token);
      assert.equal(sums, 1);
      passTime(2 * MINUTE);
      await newItem(url, token);
      assert.equal(sums, 1);
      passTime(MINUTE);
      await newItem(url, token);
      assert.equal(sums, 2);
    });

    it('A full storage is noticed by an instance that knew of ample room, at most one write late', async () => {
      const { url, passTime } = service();
      const { token } = await newAccount(url);
      const body = { title: 't', content: 'c' };
      const create = () => call(url, 'POST', '/api/content', { token, body });
      assert.equal((await create()).status, 200);
      for (let each = 0; each < 2; each++) await newItem(elsewhere, token, { content: TEXT });
      assert.equal((await create()).status, 200);
      passTime(10 * MINUTE);
      await create();
      await until(async () => (await create()).status === 400, 'the new sum is known');
      assertFailure(await create(), 400, 'storage_full');
    });

    it('The stored text of an account is summed again after the clock was set back', async () => {
      const { url, passTime } = service();
      const { token } = await newAccount(url);
      await newItem(url, token);
      for (let each = 0; each < 2; each++) await newItem(elsewhere, token, { content: TEXT });
      passTime(-MINUTE);
      const body = { title: 't', content: 'c' };
      assertFailure(await call(url, 'POST', '/api/content', { token, body }), 400, 'storage_full');
    });

    it('A change has the time at which the sum of the stored text was known', async () => {
      const { url, now, passTime } = service();
      const { token } = await newAccount(url);
      const { id } = await newItem(elsewhere, token);
      const known = now() + 5_000;
      service().beforeOperations((name) => {
        if (name === 'content.sum_stored') passTime(known - now());
      });
      const body = { content: 'changed' };
      const { body: changed } = await call(url, 'PUT', `/api/content/${id}`, { token, body });
      assert.equal(changed.data.updated_at, new Date(known).toISOString());
    });
  };
  describeInTurn(shared, 'of one service', suite, STORED);

  it('An account that made its writes of an hour gets 429, and other accounts do not', async (t) => {
    const { url, passTime } = await startBehindProxy(t, engine, { WRITES_PER_HOUR: '4' });
    const [{ username, ...first }, other] = [await newAccount(url), await newAccount(url)];
    let { token } = first;
    const body = { title: 't', content: 'c' };
    const create = () => call(url, 'POST', '/api/content', { token, body });
    const { body: made } = await create();
    const path = `/api/content/${made.data.id}`;
    assert.equal((await call(url, 'PUT', path, { token, body })).status, 200);
    assert.equal((await call(url, 'DELETE', path, { token })).status, 200);
    assert.equal((await create()).status, 200);
    const refused = await create();
    assertFailure(refused, 429, 'too_many_requests');
    assert.equal(refused.headers.get('retry-after'), '900');
    assertFailure(await call(url, 'PUT', path, { token, body }), 429, 'too_many_requests');
    assertFailure(await call(url, 'DELETE', path, { token }), 429, 'too_many_requests');
    assert.equal((await call(url, 'GET', '/api/content')).body.data.total, 1, 'nothing of it is there');
    await newItem(url, other.token);
    passTime(HOUR / 4);
    token = (await login(url, username)).token;
    assert.deepEqual(await statuses(2, create), [200, 429]);
  });

  it('An account that wrote its text of an hour gets 429, and one larger text takes the whole budget', async (t) => {
    const { url, passTime } = await startBehindProxy(t, engine, { WRITTEN_MB_PER_HOUR: '1' });
    const { username, ...first } = await newAccount(url);
    let { token } = first;
    const create = (bytes: number) =>
      call(url, 'POST', '/api/content', {
        token,
        body: {
          title: 'ä'.repeat(200),
          content: 'ä'.repeat(bytes / 2).padEnd(bytes - Math.floor(bytes / 2), 'x'),
        },
      });
    const [MIB, KIB] = [1024 * 1024, 1024];
    assert.deepEqual(await statuses(2, () => create(MIB)), [200, 429]);
    passTime(HOUR / 2);
    token = (await login(url, username)).token;
    const sizes = [MIB / 2, MIB / 4, MIB / 4 - 3 * KIB, KIB, 1];
    assert.deepEqual(await statuses(5, (index) => create(sizes[index] ?? 0)), [429, 200, 200, 429, 200]);
  });
});

onEveryEngine('Budgets of text', (engine) => {
  it('An account with a full storage gets 400 on every instance until it deletes something from the trash', async (t) => {
    const shared = await sameDatabase(t, engine);
    const { url, passTime } = await startService(t, shared, STORED);
    const [{ token }, other] = [await newAccount(url), await newAccount(url)];
    const body = { title: 't', content: 'x'.repeat(400 * 1024) };
    const create = (instance = url) => call(instance, 'POST', '/api/content', { token, body });
    const { body: made } = await create();
    const path = `/api/content/${made.data.id}`;
    // The version before is kept, and counts.
    assert.equal((await call(url, 'PUT', path, { token, body: { title: 'u' } })).status, 200);
    assert.equal((await create()).status, 200);
    assertFailure(await create(), 400, 'storage_full');
    await newItem(url, other.token);
    const { url: elsewhere } = await startService(t, shared, STORED);
    assertFailure(await create(elsewhere), 400, 'storage_full');
    assert.equal((await call(url, 'DELETE', path, { token })).status, 200);
    passTime(10_000);
    assertFailure(await create(), 400, 'storage_full');
    const inTrash = `/api/content/trash/${made.data.id}`;
    assert.equal((await call(url, 'DELETE', inTrash, { token })).status, 200);
    passTime(10_000);
    assert.deepEqual(await statuses(3, () => create()), [200, 200, 400]);
  });

  describeOnService(
    engine,
    'with one mebibyte an hour',
    (service) => {
      it('A change of a few bytes counts the whole text that the database writes again', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const content = Array.from({ length: 6_000 }, (_, line) => `This is line ${line} of it.`)
          .join('\n')
          .slice(0, 120 * 1024);
        const send = async (method: string, path: string, body?: object) =>
          (await call(url, method, `/api/content${path}`, { token, body })).status;
        const { id } = await newItem(url, token, { content });
        const counted = [
          await send('PUT', `/${id}`, { title: 'u' }),
          await send('POST', '/bulk', { operations: [{ action: 'update', id, change: { title: 'v' } }] }),
          await send('DELETE', `/${id}`),
          await send('POST', `/trash/${id}/restore`),
          await send('PUT', `/${id}/draft`, { content }),
          await send('PUT', `/${id}/draft`, { title: 'w' }),
          await send('PUT', `/${id}/draft`, { publish_at: '2099-01-01T00:00:00Z' }),
        ];
        assert.deepEqual(
          counted,
          Array(7).fill(200),
          'each counts an eighth of a mebibyte, but the deletion nothing and the time two eighths',
        );
        assert.equal(await send('PUT', `/${id}`, { title: 'y' }), 429);
        assert.equal(await send('POST', `/${id}/publish`), 429);
      });

      it('A request for what an account may not know of counts nothing of its text', async () => {
        const { url } = service();
        const [author, other] = [await newAccount(url), await newAccount(url)];
        const long = { content: TEXT.slice(0, 400 * 1024), status: 'draft' };
        const [draft, trashed] = [
          await newItem(url, author.token, long),
          await newItem(url, author.token, long),
        ];
        await call(url, 'DELETE', `/api/content/${trashed.id}`, author);
        const change = { title: 'u' };
        for (const [method, path, body] of [
          ['PUT', `/${draft.id}`, change],
          ['POST', '/bulk', { operations: [{ action: 'update', id: draft.id, change }] }],
          ['PUT', `/${draft.id}/draft`, change],
          ['POST', `/${draft.id}/publish`],
          ['POST', `/trash/${trashed.id}/restore`],
        ] as const) {
          const ask = () =>
            call(url, method, `/api/content${path}`, { token: other.token, ...(body && { body }) });
          // The third one would be 429, which tells how long the text is.
          assert.deepEqual(await statuses(3, ask), [404, 404, 404], path);
        }
      });

      it('A change that is refused, or that changes nothing, counts nothing as written', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const content = TEXT.slice(0, 300 * 1024);
        const { id } = await newItem(url, token, { title: 't', content });
        const send = (method: string, path: string, body?: object, tag?: string) =>
          call(url, method, `/api/content/${id}${path}`, {
            token,
            body,
            headers: { ...(tag && { 'if-match': tag }) },
          });
        const nothing = [
          () => send('PUT', '', { title: 'u' }, '"other"'),
          () => send('PUT', '', { title: 't', content }),
          () => send('POST', '/versions/1/restore', undefined, '"other"'),
          () => send('PUT', '/draft', { content }, '"other"'),
          () => send('POST', '/publish', undefined, '"other"'),
        ];
        const seen: number[][] = [];
        for (const ask of nothing) seen.push(await statuses(3, ask));
        assert.deepEqual(
          seen,
          [412, 200, 412, 412, 404].map((status) => Array(3).fill(status)),
        );
        const save = (text: string) => send('PUT', '/draft', { content: text });
        assert.deepEqual(await statuses(4, () => save(content)), [200, 200, 200, 200]);
        // What was written has counted.
        assert.deepEqual(await statuses(2, (index) => save(`${content}${index}`)), [200, 429]);
      });

      it('A version that comes back counts all of its text as written', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const { id } = await newItem(url, token, { content: TEXT.slice(0, 400 * 1024) });
        const send = async (method: string, path: string, body?: object) =>
          (await call(url, method, `/api/content/${id}${path}`, { token, ...(body && { body }) })).status;
        assert.equal(await send('PUT', '', { content: 'short' }), 200);
        assert.equal(await send('POST', '/versions/1/restore'), 200);
        assert.equal(await send('POST', '/versions/1/restore'), 429);
      });
    },
    { WRITTEN_MB_PER_HOUR: '1' },
  );

  // The clock of the service stands still, so no sum is read again.
  describeOnService(
    engine,
    'with one mebibyte in all',
    (service) => {
      it('A discarded draft makes room in a full storage at once', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const { id } = await newItem(url, token);
        const draft = (method: string, body?: object) =>
          call(url, method, `/api/content/${id}/draft`, { token, ...(body && { body }) });
        const create = () => call(url, 'POST', '/api/content', { token, body: { title: 't', content: '' } });
        assert.equal((await draft('PUT', { content: 'x'.repeat(1024 * 1024) })).status, 200);
        assertFailure(await create(), 400, 'storage_full');
        assert.equal((await draft('DELETE')).status, 200);
        assert.equal((await create()).status, 200);
      });

      it('A full account renames and shortens its items until it has a tenth more, and makes none longer', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        await newItem(url, token, { content: 'x'.repeat(960 * 1024) });
        const content = 'y'.repeat(8 * 1024);
        const ids: number[] = [];
        while (ids.length < 8) ids.push((await newItem(url, token, { content })).id);
        const [id = 0, other = 0] = ids;
        const put = (body: object, target = id) =>
          call(url, 'PUT', `/api/content/${target}`, { token, body });
        assertFailure(await put({ content: `${content}x` }), 400, 'storage_full');
        assert.equal((await put({ title: 'a much longer title', tags: ['new'] })).status, 200);
        assert.equal((await put({ content })).status, 200);
        assertFailure(await put({ content: 'x' }, 999_999), 404, 'not_found');
        assert.equal((await put({ content: 'short' })).status, 200);
        assertFailure(await put({ content }), 400, 'storage_full');
        let renames = 0;
        while ((await put({ title: `title ${renames}` }, other)).status === 200) renames++;
        assert.ok(renames > 5 && renames < 20, `${renames} versions of 8 KiB`);
      });

      it('A full account renames and shortens its items through drafts beside them, and makes no draft longer', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        // A line break takes two bytes in JSON.
        const lines = (count: number) => 'x\n'.repeat(count);
        const [text, empty, begun] = [
          await newItem(url, token, { content: lines(4_096) }),
          await newItem(url, token, { content: '' }),
          await newItem(url, token, { content: '' }),
        ];
        const draft = (body: object, { id } = text) =>
          call(url, 'PUT', `/api/content/${id}/draft`, { token, body });
        assert.equal((await draft({ content: lines(8_192) }, begun)).status, 200);
        await newItem(url, token, { content: 'x'.repeat(1024 * 1024 - 35 * 1024) });
        await newItem(url, token, { content: 'x'.repeat(1024) });
        assertFailure(
          await call(url, 'POST', '/api/content', { token, body: { title: 't', content: '' } }),
          400,
          'storage_full',
        );
        assert.equal((await draft({ title: 'x' }, empty)).status, 200);
        assertFailure(await draft({ content: 'x' }, empty), 400, 'storage_full');
        assert.equal((await draft({ content: lines(8_191) }, begun)).status, 200);
        assertFailure(await draft({ content: lines(8_192) }, begun), 400, 'storage_full');
        assertFailure(await draft({ content: lines(4_097) }), 400, 'storage_full');
        assert.equal((await draft({ content: lines(4_095) })).status, 200);
        assertFailure(await draft({ content: lines(4_096) }), 400, 'storage_full');
      });

      it('A full account brings back a shorter version, and no longer one', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const { id } = await newItem(url, token, { content: 'x'.repeat(8 * 1024) });
        const put = (content: string) => call(url, 'PUT', `/api/content/${id}`, { token, body: { content } });
        for (const content of ['y', 'z'.repeat(4 * 1024)]) assert.equal((await put(content)).status, 200);
        await newItem(url, token, { content: 'x'.repeat(1024 * 1024 - 8 * 1024) });
        const restore = (version: number) =>
          call(url, 'POST', `/api/content/${id}/versions/${version}/restore`, { token });
        assertFailure(await restore(1), 400, 'storage_full');
        assert.equal((await restore(2)).status, 200);
      });

      it('A draft, its publication, a version that comes back and a renamed label count at once', async () => {
        const { url } = service();
        const editor = await newWithRole(service(), 'editor');
        const start = async (members: object) => {
          const { token } = await newAccount(url);
          const { id } = await newItem(url, token, members);
          const send = async (method: string, path: string, body?: object, who = token) => {
            const answer = await call(url, method, `/api/content/${path}`, {
              token: who,
              ...(body && { body }),
            });
            assert.equal(answer.status, 200, JSON.stringify(answer.body));
            return answer.body.data;
          };
          // Refused in any case, so that asking takes no room.
          const body = { operations: [{ action: 'create', item: { title: 't', content: 'c' } }, MISSING] };
          const isFull = async () =>
            (await call(url, 'POST', '/api/content/bulk', { token, body })).body.data.error ===
            'storage_full';
          return { id, send, isFull };
        };

        const published = await start({});
        await published.send('PUT', `${published.id}/draft`, { content: TEXT });
        await published.send('POST', `${published.id}/publish`);
        assert.equal(await published.isFull(), false, 'the draft is there no more');

        const edited = await start({ content: TEXT });
        await edited.send('PUT', `${edited.id}/draft`, { content: TEXT }, editor.token);
        assert.equal(await edited.isFull(), true, 'the draft of an editor counts for the author');

        const scheduled = await start({ content: TEXT });
        await scheduled.send('PUT', `${scheduled.id}/draft`, {
          title: 'two',
          publish_at: new Date(1).toISOString(),
        });
        const titleOf = async () => (await scheduled.send('GET', `${scheduled.id}`)).title;
        await until(async () => (await titleOf()) === 'two', 'the draft is published');
        await until(scheduled.isFull, 'the version before the publication counts');

        const restored = await start({ content: TEXT });
        await restored.send('PUT', `${restored.id}`, { content: 'short' });
        await restored.send('POST', `${restored.id}/versions/1/restore`);
        assert.equal(await restored.isFull(), true, 'the text is there twice');

        const [old, kept] = [newName(), newName()];
        const labelled = await start({ content: TEXT, tags: [old] });
        await labelled.send('PUT', `tags/${old}`, { name: kept }, editor.token);
        await until(labelled.isFull, 'the version before the renaming counts');
      });

      it('The text that an editor writes counts for the author of the item, and not for the editor', async () => {
        const { url } = service();
        const [author, editor, full] = [
          await newAccount(url),
          await newWithRole(service(), 'editor'),
          await newWithRole(service(), 'editor'),
        ];
        for (const { token } of [full, full]) await newItem(url, token, { content: TEXT });
        const { id } = await newItem(url, author.token);
        const put = ({ token }: Account, content: string) =>
          call(url, 'PUT', `/api/content/${id}`, { token, body: { content } });
        assert.equal((await put(full, 'moderated')).status, 200);
        assert.deepEqual(await statuses(3, () => put(editor, TEXT)), [200, 200, 200]);
        await newItem(url, editor.token, { content: TEXT });
        const create = () =>
          call(url, 'POST', '/api/content', { token: author.token, body: { title: 't', content: TEXT } });
        assert.deepEqual(await statuses(2, create), [200, 400]);
        assert.equal((await put(editor, `${TEXT}x`)).status, 200, 'moderation goes on');
      });
    },
    STORED,
    { clock: () => NOW },
  );
});

onEveryEngine('Budgets that an attacker spends', (engine) => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  const suite = (service: () => InTurn) => {
    it('An owner may change the account after an old token asked for too many changes', async () => {
      const { url, store, now, passTime } = service();
      const { id, username, token: old } = await newAccount(url);
      assert.equal((await signIn(url, username, PASSWORD, HOME)).status, 200);
      passTime(11 * MINUTE);
      // One is left of each of the two large budgets.
      for (const kind of ['passkey_addition', 'token_creation'] as const)
        await spend(store, kind, { id, times: 199, perHour: 200, now: now() });
      const changes = [
        [11, 'GET', '/api/users/me/export'],
        [31, 'POST', '/api/auth/totp'],
        [31, 'POST', '/api/auth/recovery-codes'],
        [31, 'DELETE', '/api/auth/totp'],
        [2, 'POST', `${PASSKEYS}/options`],
        [2, 'POST', '/api/auth/tokens', { name: 'n', scope: 'read', expires_in_days: 1 }],
      ] as const;
      for (const [times, method, path, body] of changes)
        for (let asked = 0; asked < times; asked++) {
          const answer = await call(url, method, path, { token: old, ...(body && { body }) });
          assertFailure(answer, 403, 'recent_sign_in_required');
        }
      const changePassword = (token: string, current_password: string, address: string) =>
        call(url, 'POST', '/api/auth/password', {
          token,
          body: { current_password, new_password: PASSWORD },
          headers: from(address),
        });
      const wrong = await statuses(21, () => changePassword(old, WRONG, ELSEWHERE));
      assert.deepEqual(wrong, [...Array(10).fill(400), ...Array(11).fill(429)]);

      const { body } = await signIn(url, username, PASSWORD, HOME);
      const { token } = body.data;
      for (const [, method, path, sent] of changes) {
        const { status } = await call(url, method, path, { token, ...(sent && { body: sent }) });
        assert.notEqual(status, 429, `${method} ${path}`);
      }
      assert.equal((await changePassword(token, PASSWORD, HOME)).status, 200);
      for (const [, method, path, sent] of changes.slice(-2))
        assertFailure(
          await call(url, method, path, { token, ...(sent && { body: sent }) }),
          429,
          'too_many_requests',
        );
    });

    it('An owner signs in by a passkey after another user replayed a captured use of it', async () => {
      const { url, store, now } = service();
      const account = await newAccount(url);
      const { authenticator } = await newPasskey(url, account, new Authenticator());
      const captured = authenticator.get(await requestOptions(url));
      assert.equal((await logInWith(url, captured)).status, 200);
      await spend(store, 'passkey_sign_in', { id: account.id, times: 498, perHour: 500, now: now() });
      for (let sent = 0; sent < 3; sent++)
        assertFailure(await logInWith(url, captured), 401, 'bad_credentials');
      const fresh = async () => logInWith(url, authenticator.get(await requestOptions(url)));
      assert.equal((await fresh()).status, 200);
      assertFailure(await fresh(), 429, 'too_many_requests');
    });

    it('An owner turns an app on and logs in after another session sent wrong first codes', async () => {
      const { url, now } = service();
      const owner = await newAccount(url);
      const { token: stolen } = await login(url, owner.username);
      const { code } = await guard(url, owner, now());
      const secret = await beginTotp(url, owner.token);
      const confirm = (token: string, sent: string, address: string) =>
        call(url, 'POST', '/api/auth/totp/confirm', {
          token,
          body: { code: sent },
          headers: from(address),
        });
      const guesses = await statuses(11, () => confirm(stolen, 'none', ELSEWHERE));
      assert.deepEqual(guesses, [...Array(10).fill(400), 429]);
      const { body } = await signIn(url, owner.username, PASSWORD, '203.0.113.77');
      assert.equal((await complete(url, body.data.challenge, code(), '203.0.113.77')).status, 200);
      assert.equal((await confirm(owner.token, codeOf(secret, now()), '203.0.113.78')).status, 200);
    });
  };
  describeInTurn(engine, 'of one service', suite, { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: SITE.origin });
});

// Alone, because other tests need the timers.
onOneEngine(
  'A sum of stored text',
  (engine) => {
    it('A write does not wait in the queue of searches for the sum of a storage that has ample room', async (t) => {
      const gate = Promise.withResolvers<void>();
      let [held, created] = [0, 0];
      const before = (name: string) => {
        if (name === 'content.create') created++;
        if (name !== 'content.list') return;
        held++;
        return gate.promise;
      };
      const wrap = (store: Store) => observed(store, { before });
      const { url, passTime } = await startService(t, engine, { DATABASE_POOL: '10' }, { wrap });
      const [{ token }, other] = [await newAccount(url), await newAccount(url)];
      await newItem(url, token);
      const search = (token?: string) => call(url, 'GET', '/api/content?tag=a', { token });
      const searches = [other.token, undefined].flatMap((who) =>
        Array.from({ length: 2 }, () => search(who)),
      );
      await until(() => held === (engine.name === 'SQLite' ? 1 : 3), 'the searches hold all places');
      passTime(10 * MINUTE);
      // The queue gives nothing up.
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const written = newItem(url, token);
      await until(() => created === 2, 'the item is created');
      t.mock.timers.reset();
      gate.resolve();
      await Promise.all([...searches, written]);
    });
  },
  1,
);

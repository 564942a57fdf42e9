import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { numberChanges } from '../../src/services/changes/number-changes.ts';
import { readChanges, readNewest } from '../../src/services/changes/read.ts';
import { addReader, moveReader, removeReader } from '../../src/services/changes/readers.ts';
import { KEPT_MS, removeOldChanges } from '../../src/services/changes/remove-old.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { call, login, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { feedAfter, feedUntil } from '../support/feed.ts';
import { newWithRole } from '../support/people.ts';
import { execOn } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { newCaller, openTestStore } from '../support/store.ts';

onEveryEngine('The feed of committed changes', (engine) => {
  it('The feed has one change for each change of an item or an account, with who could see it', async (t) => {
    const service = await startService(t, engine);
    const { url, store } = service;
    const author = await newAccount(url);
    const editor = await newWithRole(service, 'editor');
    const item = await newItem(url, author.token);
    const path = `/api/content/${item.id}`;
    const put = (token: string, body: object) => call(url, 'PUT', path, { token, body });
    await put(author.token, { title: 'Another title' });
    await put(author.token, { title: 'Another title' });
    await put(editor.token, { content: 'By the editor.' });
    const inTrash = `/api/content/trash/${item.id}`;
    await call(url, 'DELETE', path, { token: author.token });
    await call(url, 'POST', `${inTrash}/restore`, { token: author.token });
    await call(url, 'DELETE', path, { token: editor.token });
    await call(url, 'DELETE', inTrash, { token: author.token });
    const own = (body: object) => call(url, 'PUT', '/api/users/me', { token: author.token, body });
    await own({ display_name: 'Ada' });
    const username = newName();
    await own({ username });
    // What only signs in or proves, changes nothing that anybody sees.
    await login(url, username);
    const { token } = await login(url, username);
    assert.equal((await call(url, 'DELETE', '/api/users/me', { token })).status, 200);
    const body = { username, password: PASSWORD };
    assert.equal((await call(url, 'POST', '/api/auth/restore', { body })).status, 200);
    const last = await newAccount(url);

    const feed = await feedUntil(store, 0, ({ account_id }) => account_id === last.id);
    const [ada, ed] = [author.id, editor.id];
    const ofItem = (event: string, version: number, actor: number | null, audience = 'all') => [
      event,
      item.id,
      version,
      ada,
      actor,
      audience,
    ];
    const ofUser = (event: string, id: number, audience = 'all') => [event, id, null, id, null, audience];
    assert.deepEqual(
      feed.map((each) => [
        ...[each.event, each.item_id ?? each.account_id, each.version],
        ...[each.owner_id, each.actor_id, each.audience],
      ]),
      [
        ofUser('user.created', ada),
        ofUser('user.created', ed),
        ofUser('user.updated', ed, 'owner'),
        ofItem('content.created', 1, ada),
        ofItem('content.updated', 2, ada),
        ofItem('content.updated', 3, ed),
        ofItem('content.trashed', 3, ada),
        ofItem('content.restored', 3, null),
        ofItem('content.trashed', 3, ed),
        ofItem('content.purged', 3, null, 'owner'),
        ofUser('user.updated', ada, 'owner'),
        ofUser('user.updated', ada),
        ofUser('user.removed', ada),
        ofUser('user.updated', ada),
        ofUser('user.created', last.id),
      ],
    );
    assert.deepEqual(
      feed.map(({ number }) => number),
      feed.map((_, index) => index + 1),
    );
  });

  it('A change that fails leaves nothing in the feed', async (t) => {
    const { store, fill, caller } = await openFeed(t, engine);
    await fill(1);
    await assert.rejects(store.write(createContent, { ...ITEM, ...caller, sessionId: 'another' }));
    await fill(1);
    assert.deepEqual(numbers(await feedAfter(store, 0)), [1, 2, 3]);
  });

  it('A reader that comes too late gets one gap, and goes on with the oldest change that is left', async (t) => {
    const { store, fill } = await openFeed(t, engine);
    await fill(9);
    while (await store.write(removeOldChanges, { now: 0, most: 4 }));
    const read = (after: number) => store.read(readChanges, { after, limit: 9 });
    assert.deepEqual(await read(5), { changes: [], goOnAfter: 6 });
    assert.deepEqual(numbers(await feedAfter(store, 6)), [7, 8, 9, 10]);
    // The database never gave this number, because an older copy of it was put back.
    assert.deepEqual(await read(12), { changes: [], goOnAfter: 10 });
    assert.deepEqual(await read(10), { changes: [] });
    await fill(1);
    assert.deepEqual(numbers(await feedAfter(store, 10)), [11]);
  });

  it('After a restore the changes from before it stay, and a reader gets them, one gap and those after it', async (t) => {
    const same = await sameDatabase(t, engine);
    const { store, fill } = await openFeed(t, same);
    await fill(9);
    // The first change after the restore. Numbers go on from there.
    await execOn(
      await same.settings(t),
      `INSERT INTO changes (number, event, account_id, owner_id, audience, at)
       VALUES (1000000011, 'user.updated', 1, 1, 'all', 0)`,
    );
    await fill(2);
    while (await store.write(removeOldChanges, { now: 0, most: 4 }));
    const read = async (after: number) => {
      const { changes, goOnAfter } = await store.read(readChanges, { after, limit: 99 });
      return goOnAfter ?? numbers(changes);
    };
    assert.deepEqual(await read(7), [8, 9, 10]);
    assert.equal(await read(10), 1_000_000_010);
    const after = [1_000_000_011, 1_000_000_012, 1_000_000_013];
    assert.deepEqual(await read(1_000_000_010), after);
    assert.deepEqual(numbers(await store.read(readNewest, { limit: 99 })), after);
    await fill(2);
    while (await store.write(removeOldChanges, { now: 0, most: 4 }));
    assert.equal(await read(7), 1_000_000_011);
  });

  it('A change stays for seven days, and longer for a living reader that has not read it', async (t) => {
    const begun = Date.now();
    /** All changes of this test are made before. */
    const then = begun + HOUR_MS;
    const { store, fill } = await openFeed(t, engine);
    const oldestAt = async (now: number) => {
      while (await store.write(removeOldChanges, { now }));
      const { changes, goOnAfter = 0 } = await store.read(readChanges, { after: 0, limit: 1 });
      return changes[0]?.number ?? goOnAfter + 1;
    };
    await fill(3);
    assert.equal(await store.write(addReader, { name: 'slow', now: then + 1 }), 4);
    await fill(6);
    assert.equal(await store.write(addReader, { name: 'slow', now: then + 1 }), 4);
    assert.equal(await store.write(addReader, { name: 'quick', now: then + 5 }), 10);
    assert.equal(await oldestAt(begun + KEPT_MS - 1), 1);
    assert.equal(await oldestAt(then + KEPT_MS), 5, 'what the slow reader needs');
    await store.write(moveReader, { name: 'slow', number: 6, now: then + 2 });
    await store.write(moveReader, { name: 'slow', number: 5, now: then + 3 });
    assert.equal(await oldestAt(then + KEPT_MS), 7, 'a late note moves no reader back');
    assert.equal(
      await oldestAt(then + KEPT_MS + 2),
      10,
      'a reader that does not move is dead, and the newest change stays',
    );
    await store.write(removeReader, { name: 'slow' });
    assert.equal(await store.write(addReader, { name: 'slow', now: then + 6 }), 10);
  });

  it('An item that was created long ago is told of for seven days after its import', async (t) => {
    const { store, caller } = await openFeed(t, engine);
    const begun = Date.now();
    await store.write(createContent, { ...ITEM, ...caller });
    await store.write(createContent, { ...ITEM, ...caller });
    while (await store.write(numberChanges, { limit: 2 }));
    while (await store.write(removeOldChanges, { now: Date.now() }));
    const { changes } = await store.read(readChanges, { after: 0, limit: 9 });
    assert.deepEqual(
      changes.map(({ event }) => event),
      ['user.created', 'content.created', 'content.created'],
    );
    for (const { at } of changes.slice(1)) assert.ok(at >= begun && at <= Date.now());
  });
});

/**
 * A store without jobs, with one account, which is the first change. Its rows were created at the time 0, as if they
 * were imported.
 */
async function openFeed(t: TestContext, engine: TestEngine) {
  const store = await openTestStore(t, engine);
  const caller = await newCaller(store);
  const fill = async (count: number) => {
    for (let each = 0; each < count; each++) await store.write(createContent, { ...ITEM, ...caller });
    while (await store.write(numberChanges, { limit: 2 }));
  };
  return { store, caller, fill };
}

const ITEM = { title: 't', content: '', ...BARE_ITEM, now: 0 };

function numbers(feed: readonly { readonly number: number }[]): number[] {
  return feed.map(({ number }) => number);
}

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { renameStep } from '../../src/labels/rename-step.ts';
import { type Account, call, newItem, newName } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startFleet } from '../support/fleet.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import type { RunningService } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { until, untilThere } from '../support/until.ts';

async function done(service: RunningService, who: Account, method: string, path: string, body?: object) {
  const answer = await call(service.url, method, `/api/content${path}`, {
    token: who.token,
    ...(body && { body }),
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

async function ended(service: RunningService, who: Account, path: string) {
  return untilThere(async () => {
    const rename = await done(service, who, 'GET', path);
    return rename.ended_at === null ? undefined : rename;
  }, 'the renaming ends');
}

onEveryEngine('Renaming labels', (engine) => {
  it('A renamed tag is renamed in items, drafts, drafts beside items and the trash, each as one version', async (t) => {
    const service = await startService(t, engine);
    const editor = await newWithRole(service, 'editor');
    const author = await newWithRole(service, 'member');
    const make = (members: object) => newItem(service.url, author.token, members);
    const [old, kept] = [newName('old'), newName('kept')];
    const plain = await make({ tags: [old, 'x'] });
    const both = await make({ tags: [kept, 'y', old] });
    const untouched = await make({ tags: [`${old}er`, kept] });
    const draft = await make({ tags: [old], status: 'draft' });
    const trashed = await make({ tags: [old] });
    await done(service, author, 'DELETE', `/${trashed.id}`);
    const edited = await make({ tags: [old] });
    await done(service, author, 'PUT', `/${edited.id}/draft`, { title: 'A draft', tags: [old, 'z'] });
    const path = `/tags/${old}`;
    assertFailure(
      await call(service.url, 'PUT', `/api/content${path}`, { token: author.token, body: { name: kept } }),
      403,
      'forbidden',
    );
    assertFailure(
      await call(service.url, 'GET', `/api/content${path}`, { token: author.token }),
      403,
      'forbidden',
    );
    assert.equal((await done(service, editor, 'PUT', path, { name: ` ${kept} ` })).name, kept);
    assert.equal((await ended(service, editor, path)).items_changed, 6);

    const read = (id: number) => done(service, author, 'GET', `/${id}`);
    const seen = async (id: number) => {
      const { tags, version } = await read(id);
      return [tags, version];
    };
    assert.deepEqual(await seen(plain.id), [[kept, 'x'], 2]);
    assert.deepEqual(await seen(both.id), [[kept, 'y'], 2]);
    assert.deepEqual(await seen(untouched.id), [[`${old}er`, kept], 1]);
    assert.deepEqual(await seen(draft.id), [[kept], 2]);
    const published = await done(service, author, 'POST', `/${edited.id}/publish`);
    assert.deepEqual([published.title, published.tags], ['A draft', [kept, 'z']]);
    await done(service, author, 'POST', `/trash/${trashed.id}/restore`);
    assert.deepEqual(await seen(trashed.id), [[kept], 2]);
    const [first] = (await done(service, author, 'GET', `/${plain.id}/versions`)).items;
    assert.equal(first.by.id ?? first.by, editor.id);
    const counts = async (prefix: string) =>
      (await done(service, author, 'GET', `/tags?prefix=${prefix}`)).items;
    assert.deepEqual(await counts(kept), [{ name: kept, count: 5 }]);
    assert.deepEqual(await counts(old), [{ name: `${old}er`, count: 1 }]);
    const admin = await newWithRole(service, 'admin');
    const { body } = await call(service.url, 'GET', '/api/audit?per_page=100', { token: admin.token });
    const events = body.data.items.filter(({ event }: { event: string }) => event.startsWith('label_'));
    assert.deepEqual(
      events.map(({ event, detail }: { event: string; detail: object }) => [event, detail]).sort(),
      [
        ['label_rename_ended', { kind: 'tag', items: '6' }],
        ['label_rename_started', { kind: 'tag' }],
      ],
    );
  });

  it('A renaming goes on after its instance stopped, changes each item once over all instances, and counts are exact throughout', async (t) => {
    // Each step waits until it is let through, so that the renaming goes on no faster than the test asks.
    let next = Promise.withResolvers<void>();
    const letThrough = () => {
      next.resolve();
      next = Promise.withResolvers();
    };
    t.after(() => next.resolve());
    const before = (operation: string) => (operation === renameStep.name ? next.promise : undefined);
    const fleet = await startFleet(t, engine, { wrap: (store) => observed(store, { before }) });
    const editor = await newWithRole(fleet.instance(0), 'editor');
    const word = newName('label');
    const [old, kept, count] = [`${word}a`, `${word}b`, 100];
    for (let made = 0; made < count; made += 50)
      await done(fleet.instance(0), editor, 'POST', '/bulk', {
        operations: Array.from({ length: 50 }, () => ({
          action: 'create',
          item: { title: 'One of many', content: 'c', category: old },
        })),
      });
    const path = `/categories/${old}`;
    await done(fleet.instance(0), editor, 'PUT', path, { name: kept });
    const second = await call(fleet.instance(1).url, 'PUT', `/api/content${path}`, {
      token: editor.token,
      body: { name: 'another' },
    });
    assertFailure(second, 409, 'request_in_progress');
    // Both kinds have a renaming of their own.
    await done(fleet.instance(0), editor, 'PUT', `/tags/${old}`, { name: kept });
    const late = await newItem(fleet.instance(0).url, editor.token, { category: old });
    let isStopped = false;
    for (;;) {
      letThrough();
      const { items_changed, ended_at } = await done(fleet.instance(0), editor, 'GET', path);
      const { items } = await done(fleet.instance(0), editor, 'GET', `/categories?prefix=${word}`);
      assert.equal(
        items.reduce((sum: number, label: { count: number }) => sum + label.count, 0),
        count + 1,
      );
      if (ended_at !== null) break;
      if (!isStopped && items_changed > 0) {
        const restarted = fleet.restart(0).finally(() => {
          isStopped = true;
        });
        // The step that waits ends first.
        await until(() => {
          letThrough();
          return isStopped;
        }, 'the instance starts again');
        await restarted;
      }
    }
    assert.ok(isStopped, 'the renaming took more than one step');
    const list = await done(fleet.instance(0), editor, 'GET', `?category=${kept}&per_page=100`);
    assert.equal(list.total, count + 1);
    for (const { version } of list.items) assert.equal(version, 2);
    const { items } = await done(fleet.instance(0), editor, 'GET', `/categories?prefix=${kept}`);
    assert.deepEqual(items, [{ name: kept, count: count + 1 }]);
    assert.equal((await done(fleet.instance(0), editor, 'GET', `/${late.id}`)).category, kept);
  });
});

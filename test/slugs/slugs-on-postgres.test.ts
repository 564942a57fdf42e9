// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { createContent, newRow } from '../../src/content/create.ts';
import { moveSlug } from '../../src/content/old-slugs.ts';
import type { LockName } from '../../src/domain/lock-names.ts';
import { writeOperation } from '../../src/store/operation.ts';
import type { Db } from '../../src/store/tables.ts';
import { outcomeOf } from '../support/during.ts';
import { connect, execute, newPostgresDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

/** Calls `moveSlug`, and waits for a lock only when `bothWait` resolves. */
function moving(bothWait: () => Promise<void>) {
  return writeOperation(
    'test.move_slug',
    async (db, { id, slug }: { readonly id: number; readonly slug: string }, engine) => {
      const lock = async (on: Db, name: LockName) => {
        await bothWait();
        await engine.lock(on, name);
      };
      await moveSlug(db, { ...engine, lock }, { id, slug, now: 1 });
    },
  );
}

it('Two items that take the slugs of each other at once are both refused, and neither waits for the other', async (t) => {
  const url = await newPostgresDatabase();
  const store = await openInstance(url);
  t.after(() => store.close());
  const caller = await newCaller(store);
  const make = (slug: string) =>
    store.write(createContent, { ...newRow({ title: 't', content: '' }), ...caller, slug, now: 1 });
  const [one, other] = [await make('one'), await make('other')];
  const { promise: haveBoth, resolve: both } = Promise.withResolvers<void>();
  let waiting = 0;
  const move = moving(() => {
    if (++waiting === 2) both();
    return haveBoth;
  });
  const outcomes = await Promise.all([
    outcomeOf(store.write(move, { id: one.id, slug: 'other' })),
    outcomeOf(store.write(move, { id: other.id, slug: 'one' })),
  ]);
  assert.deepEqual([outcomes, waiting], [['taken', 'taken'], 0]);
});

it('The database refuses a slug that another item had, whichever statement gives it', async (t) => {
  const url = await newPostgresDatabase();
  const store = await openInstance(url, 2);
  t.after(() => store.close());
  const caller = await newCaller(store);
  const make = (slug: string | null) =>
    store.write(createContent, { ...newRow({ title: 't', content: '' }), ...caller, slug, now: 1 });
  const { id } = await make('now');
  const other = await make('other');
  await execute(url, `insert into content_old_slugs values ('before', ${id}, 1)`);
  const give = (item: number) => execute(url, `update content set slug = 'before' where id = ${item}`);
  await assert.rejects(give(other.id), /reserved/);
  await assert.rejects(
    execute(url, `update content set slug = 'now' where id = ${other.id}`),
    /content_slug/,
  );
  assert.equal(await outcomeOf(make('before')), 'token_revoked');
  await give(id);
});

it('A slug locks a name made of its digest, so that nobody chooses one whose lock is another lock of the service', async (t) => {
  const url = await newPostgresDatabase();
  const store = await openInstance(url, 2);
  const holder = await connect(url);
  t.after(async () => {
    await holder.end();
    await store.close();
  });
  const caller = await newCaller(store);
  const make = (slug: string) =>
    store.write(createContent, { ...newRow({ title: 't', content: '' }), ...caller, slug, now: 1 });
  const { id } = await make('first');
  const move = moving(async () => {});
  /** What comes of a creation and of a change while another write holds the locks of these names. */
  const during = async (slugs: readonly string[], nameOf: (slug: string) => string) => {
    await holder.query('begin');
    for (const slug of slugs)
      await holder.query(
        `select pg_advisory_xact_lock(hashtextextended('stoa content slug ${nameOf(slug)}', 0))`,
      );
    const [created, moved] = slugs;
    const outcomes = [
      await outcomeOf(make(created ?? '')),
      await outcomeOf(store.write(move, { id, slug: moved ?? '' })),
    ];
    await holder.query('rollback');
    return outcomes;
  };
  assert.deepEqual(await during(['größe', 'another'], (slug) => hash('sha256', slug)), [
    'token_revoked',
    'taken',
  ]);
  assert.deepEqual(await during(['größe', 'another'], (slug) => slug), ['done', 'done']);
});

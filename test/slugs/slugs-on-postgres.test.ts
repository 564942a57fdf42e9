// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { createContent, newRow } from '../../src/content/create.ts';
import { moveSlug } from '../../src/content/old-slugs.ts';
import { writeOperation } from '../../src/store/operation.ts';
import { during, outcomeOf } from '../support/during.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

const move = writeOperation(
  'test.move_slug',
  (db, { id, slug }: { readonly id: number; readonly slug: string }, engine) =>
    moveSlug(db, engine, { id, slug, now: 1 }),
);

it('The database refuses a slug that another item had, whichever statement gives it', async (t) => {
  const url = await newMigratedDatabase();
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

it('A statement that waits for the write that gives a slug up is refused the slug', async (t) => {
  const url = await newMigratedDatabase();
  const store = await openInstance(url, 2);
  t.after(() => store.close());
  const caller = await newCaller(store);
  const make = (slug: string) =>
    store.write(createContent, { ...newRow({ title: 't', content: '' }), ...caller, slug, now: 1 });
  const [one, other] = [await make('given-up'), await make('other')];
  const givingUp = [
    `insert into content_old_slugs values ('given-up', ${one.id}, 1)`,
    `update content set slug = 'next' where id = ${one.id}`,
  ];
  const take = `update content set slug = 'given-up' where id = ${other.id}`;
  const [outcome] = await during(url, givingUp, 1, () => [outcomeOf(execute(url, take))]);
  assert.match(outcome ?? '', /reserved/);
});

it('A slug locks a name made of its digest, so that nobody chooses one whose lock is another lock of the service', async (t) => {
  const url = await newMigratedDatabase();
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
  /** What comes of a creation and of a change while another write holds the locks of these names. */
  const whileLocked = async (slugs: readonly string[], nameOf: (slug: string) => string) => {
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
  assert.deepEqual(await whileLocked(['größe', 'another'], (slug) => hash('sha256', slug)), [
    'token_revoked',
    'taken',
  ]);
  assert.deepEqual(await whileLocked(['größe', 'another'], (slug) => slug), ['done', 'done']);
});

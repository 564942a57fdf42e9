// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { findContent } from '../../src/content/find.ts';
import { type Engine, writeOperation } from '../../src/store/operation.ts';
import type { Db } from '../../src/store/tables.ts';
import { postgres } from '../support/engines.ts';
import { openTestStore } from '../support/store.ts';

/** More than the names that the store gives to statements that are not built once. */
const MANY = 600;

type Work = (db: Db, engine: Engine) => Promise<unknown>;

interface Asked {
  readonly before: Work;
  readonly later: Work;
  readonly text: string;
}

/** On a connection that has run `before`, is a statement prepared that `later` runs? It has this text. */
const isPrepared = writeOperation(
  'test.is_prepared',
  async (db, { before, later, text }: Asked, engine): Promise<boolean> => {
    await before(db, engine);
    await later(db, engine);
    const { rows } = await sql`
      select from pg_prepared_statements where strpos(statement, ${text}) > 0 and strpos(statement, 'strpos') = 0
    `.execute(db);
    return rows.length > 0;
  },
);

it('A statement that first runs after 600 lists of many lengths is prepared on PostgreSQL', async (t) => {
  const store = await openTestStore(t, postgres);
  const before: Work = async (db) => {
    for (const length of numbers(MANY / 3)) {
      const list = numbers(length);
      await db.selectFrom('content').select('id').where('id', 'in', list).execute();
      await sql`select id from content where id in (${sql.join(list)})`.execute(db);
      const rows = list.map((n) => ({ name: `${length} ${n}`, value: '' }));
      await db.insertInto('secrets').values(rows).execute();
    }
  };
  const later: Work = (db) => sql`select 1 as later_alias`.execute(db);
  assert.equal(await store.write(isPrepared, { before, later, text: 'later_alias' }), true);
});

it('A statement that is built once is prepared on PostgreSQL also if it first runs after 600 others', async (t) => {
  const store = await openTestStore(t, postgres);
  const before: Work = async (db) => {
    for (const n of numbers(MANY)) await sql`select ${sql.lit(n)} as n`.execute(db);
  };
  const later: Work = (db, engine) => findContent.run(db, { id: 1, reader: 'account', most: 1 }, engine);
  assert.equal(await store.write(isPrepared, { before, later, text: 'octet_length' }), true);
});

it('Of statements that differ each time, no more than some hundred are prepared on PostgreSQL', async (t) => {
  const store = await openTestStore(t, postgres);
  const before: Work = async (db) => {
    for (const n of numbers(MANY)) await sql`select ${sql.lit(n)} as n`.execute(db);
  };
  const later: Work = (db) => sql`select 1 as later_alias`.execute(db);
  assert.equal(await store.write(isPrepared, { before, later, text: 'later_alias' }), false);
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

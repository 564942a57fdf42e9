// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TABLES } from '../../src/features.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import type { MoveEnd } from '../../src/store/move-end.ts';
import { carriedTables, refuseDifference } from '../../src/transfer/schema.ts';
import { ENGINES, type Lifetime, onEveryEngine, type TestEngine } from '../support/engines.ts';
import { newDatabase } from '../support/store.ts';
import { tableTypes } from '../support/table-types.ts';

const TYPES = tableTypes();
const { carried: CARRIED, derived: DERIVED } = TABLES;
/** Views, which hold nothing. */
const VIEWS = ['visible_content', 'public_content', 'visible_users', 'content_order'];

onEveryEngine('The live schema', (engine) => {
  it('The schema has only tables that a move carries or knows as derived', async (t) => {
    const names = (await (await openEnd(t, engine)).tables()).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !CARRIED.includes(name) && !DERIVED.includes(name)),
      [],
    );
    assert.deepEqual(
      CARRIED.filter((name) => !names.includes(name)),
      [],
    );
  });

  it('The schema has all columns of the type `Tables`, and no others in carried tables', async (t) => {
    for (const { name, columns } of await (await openEnd(t, engine)).tables()) {
      const [live, typed] = [columns.map((column) => column.name).toSorted(), TYPES.get(name)?.toSorted()];
      if (CARRIED.includes(name)) assert.deepEqual(live, typed, name);
      else for (const column of typed ?? []) assert.ok(live.includes(column), `${name}.${column}`);
    }
  });
});

it('A move finds the schemas of the two engines alike', async (t) => {
  const [one, other] = await Promise.all(ENGINES.map((engine) => openEnd(t, engine)));
  assert.ok(one && other);
  refuseDifference(one, await carriedTables(one, TABLES), other, await carriedTables(other, TABLES));
});

it('Neither the type `Tables` nor what a move knows as derived names a table that no engine has', async (t) => {
  const ends = await Promise.all(ENGINES.map((engine) => openEnd(t, engine)));
  const live = (await Promise.all(ends.map((end) => end.tables()))).flat().map(({ name }) => name);
  assert.deepEqual(
    [...TYPES.keys(), ...DERIVED].filter((name) => !live.includes(name) && !VIEWS.includes(name)),
    [],
  );
});

/** A new database of this version's schema, as a move sees it. */
async function openEnd(t: Lifetime, engine: TestEngine): Promise<MoveEnd> {
  const database = await newDatabase(t, engine);
  const end = await openMoveEnd(database, 'source');
  t.after(() => end.close());
  return end;
}

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { ACCOUNT_FIELDS } from '../../src/accounts/fields.ts';
import { tellOfAccounts } from '../../src/schema/0030_changes.ts';
import { numberChanges } from '../../src/services/changes/number-changes.ts';
import { readNewest } from '../../src/services/changes/read.ts';
import type { AnyField } from '../../src/store/field.ts';
import { onEveryEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { newCaller, openTestStore } from '../support/store.ts';

const FIELDS: readonly (readonly [string, AnyField])[] = Object.entries(ACCOUNT_FIELDS);
const OPERATIONS_URL = new URL('../../src/operations.ts', import.meta.url).href;

onEveryEngine('What the feed tells of an account', (engine) => {
  it('A change of each field of an account that people set and see is in the feed of changes, or the field says why not', async (t) => {
    const { change } = await openFeed(t, engine);
    const columns = settable();
    assert.ok(columns.length >= 6, String(columns));
    const heard: [string, string | undefined][] = [];
    for (const column of columns) heard.push([column, await change(column)]);
    assert.deepEqual(
      heard,
      columns.map((column) => [column, expected(column)]),
    );
  });

  it('A column that a step adds is told of after the step made the trigger again', async (t) => {
    const { change, exec } = await openFeed(t, engine);
    await exec('ALTER TABLE users ADD COLUMN nickname TEXT');
    assert.equal(await change('nickname'), undefined);
    const dialect = { engine: engine.name === 'SQLite' ? 'sqlite' : 'postgres' } as const;
    for (const own of [[], ['nickname']]) {
      const shown = own.length > 0 ? ['email', 'visible'] : ['email', 'visible', 'nickname'];
      for (const statement of tellOfAccounts(dialect, { shown, own })) await exec(statement);
      assert.equal(await change('nickname'), own.length > 0 ? 'owner' : 'all');
      assert.equal(await change('email'), 'all');
    }
  });
});

/** The columns of an account that a body changes and that an answer shows. */
function settable(): string[] {
  const changed = FIELDS.filter(([, { setBy = {}, setByVerb = {} }]) =>
    Object.keys({ ...setBy, ...setByVerb }).some((setter) => setter !== 'registration'),
  );
  const names = new Set(changed.map(([, { column }]) => column.name));
  return [...names].filter((name) => readersOf(name).length > 0);
}

function readersOf(column: string): readonly string[] {
  const shown = FIELDS.filter(([, field]) => [field.column.name, field.beside?.name].includes(column));
  return shown.flatMap(([, { shownTo = [] }]) => shownTo);
}

function expected(column: string): 'all' | 'owner' | undefined {
  if (FIELDS.some(([, field]) => field.column.name === column && field.notTold !== undefined))
    return undefined;
  return readersOf(column).includes('everybody') ? 'all' : 'owner';
}

/** A store without jobs, with one account. `change` returns the audience of a change of a column, if it is told of. */
async function openFeed(t: TestContext, anyEngine: TestEngine) {
  const engine = await sameDatabase(t, anyEngine);
  const store = await openTestStore(t, engine, { operationsUrl: OPERATIONS_URL });
  await newCaller(store);
  const settings = await engine.settings(t);
  const exec = (statement: string) => execOn(settings, statement);
  let turn = 0;
  const newest = async () => {
    while (await store.write(numberChanges, { limit: 9 }));
    return (await store.read(readNewest, { limit: 1 })).at(-1);
  };
  const change = async (column: string) => {
    const before = await newest();
    turn += 1;
    // Which type a column has, and which values, is known to the database only.
    await exec(`UPDATE users SET ${column} = ${column === 'role' ? "'admin'" : `'value ${turn}'`}`).catch(
      () => exec(`UPDATE users SET ${column} = 1`),
    );
    const after = await newest();
    return after?.number === before?.number ? undefined : after?.audience;
  };
  return { change, exec };
}

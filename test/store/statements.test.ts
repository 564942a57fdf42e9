import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { kyselyOn } from '../../src/store/sqlite/dialect.ts';
import { statement } from '../../src/store/statement.ts';
import type { Db } from '../../src/store/tables.ts';

function newDb(t: TestContext): Db {
  const database = new DatabaseSync(':memory:');
  t.after(() => database.close());
  return kyselyOn(database);
}

interface Input {
  readonly a: number;
  readonly b: number;
}

describe('Statements that are built once', () => {
  it('A statement that is built once runs with the values of each input', async (t) => {
    const db = newDb(t);
    const sum = statement((_, { a, b }: Input) => sql<{ sum: number }>`select ${a} + ${b} as sum`);
    assert.deepEqual(await sum(db, { a: 1, b: 2 }), [{ sum: 3 }]);
    assert.deepEqual(await sum(db, { a: 40, b: 2 }), [{ sum: 42 }]);
  });

  const misuses: Record<string, (input: Input) => unknown> = {
    'in a condition': ({ a, b }) => (a ? sql`select ${b} as n` : sql`select 1 as n`),
    'in a comparison': ({ a, b }) => (a > 1 ? sql`select ${b} as n` : sql`select 1 as n`),
    'in arithmetic': ({ a }) => sql`select ${a + 1} as n`,
    'in a text': ({ a }) => sql`select ${`${a}`} as n`,
    'as JSON': (input) => sql`select ${JSON.stringify(input.a)} as n`,
    'for nothing': ({ a: _, b }) => sql`select ${b} as n`,
    'asking whether it is there': (input) => ('a' in input ? sql`select 1 as n` : sql`select 2 as n`),
    'all of it at once': (input) => sql`select ${Object.keys(input).length} as n`,
  };
  for (const [how, build] of Object.entries(misuses))
    it(`A statement that is built once fails when it uses a member of its input ${how}`, async (t) => {
      const misused = statement((_, input: Input) => build(input) as ReturnType<typeof sql>);
      await assert.rejects(misused(newDb(t), { a: 1, b: 2 }), /only as a value/);
    });

  it('A statement that is built once fails when the input lacks a member', async (t) => {
    const sum = statement((_, { a, b }: Partial<Input>) => sql`select ${a} + ${b} as sum`);
    await assert.rejects(sum(newDb(t), { a: 1 }), /lacks "b"/);
  });
});

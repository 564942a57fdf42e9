// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TABLES } from '../../src/features.ts';
import { fillWithMany, MANY_ITEMS, MANY_USERS } from '../support/many-rows.ts';
import { move, proofOf } from '../support/move.ts';
import { newMigratedPlace, newPostgresPlace, newSqlitePlace, type Place } from '../support/place.ts';
import { startMove } from '../support/start-command.ts';

/** Of whoever may not hold up others: each of them ends what takes longer than a second. */
const LIMITS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
  'idle_session_timeout',
];
/** Makes the target take longer than that for one statement, while the source waits in its transaction. */
const SLOW = `CREATE FUNCTION slow() RETURNS TRIGGER LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END $$`;

describe('Time limits of a move', () => {
  it('A move between PostgreSQL databases works for a role whose time-outs are one second', async (t) => {
    const [source, target] = [
      await newMigratedPlace(t, newPostgresPlace),
      await newMigratedPlace(t, newPostgresPlace),
    ];
    const begin = await newSqlitePlace(t);
    await fillWithMany(begin);
    assert.equal((await move(begin, source)).code, 0);
    await target.sql(SLOW, 'CREATE TRIGGER slow AFTER INSERT ON secrets EXECUTE FUNCTION slow()');
    for (const place of [source, target]) await limitRole(place);
    const moved = await move(source, target);
    assert.equal(moved.code, 0, moved.stderr);
    assert.equal(proofOf(moved).length, TABLES.carried.length);
  });
});

describe('Changes during a move', { concurrency: true }, () => {
  it('A change in an SQLite source after the move began is not carried, and the proof holds', async (t) => {
    const [source, target] = [await newSqlitePlace(t), await newMigratedPlace(t, newPostgresPlace)];
    await fillWithMany(source);
    await changeMeanwhile(t, source, target);
  });

  it('A change in a PostgreSQL source after the move began is not carried, and the proof holds', async (t) => {
    const [begin, source, target] = [
      await newSqlitePlace(t),
      await newMigratedPlace(t, newPostgresPlace),
      await newMigratedPlace(t, newSqlitePlace),
    ];
    await fillWithMany(begin);
    assert.equal((await move(begin, source)).code, 0);
    await changeMeanwhile(t, source, target);
  });
});

/** By somebody who does not ask for the lock that servers and moves take. */
async function changeMeanwhile(
  t: Parameters<typeof startMove>[0],
  source: Place,
  target: Place,
): Promise<void> {
  const run = startMove(t, source, target, { step: 'copying users' });
  await run.halts();
  await source.sql(
    `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
     VALUES (1, 'Meanwhile', '', '', '[]', 1, 0, 0)`,
    "UPDATE content SET title = 'Meanwhile' WHERE id = 1",
    'DELETE FROM sessions',
  );
  run.goOn();
  const moved = await run.ended;
  assert.equal(moved.code, 0, moved.stderr);
  const countIn = async (table: string, condition: string) =>
    Number((await target.sql(`SELECT count(*) AS rows FROM ${table} WHERE ${condition}`))[0]?.rows);
  assert.equal(await countIn('content', "title = 'Meanwhile'"), 0);
  assert.equal(await countIn('content', '1 = 1'), MANY_ITEMS);
  assert.equal(await countIn('sessions', '1 = 1'), MANY_USERS);
}

async function limitRole({ url, sql }: Place): Promise<void> {
  const { username, pathname } = new URL(url);
  for (const limit of LIMITS)
    await sql(`ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} SET ${limit} = '1s'`);
}

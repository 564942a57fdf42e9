// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrateDatabase } from '../../src/cli/migrate.ts';
import { TABLES } from '../../src/features.ts';
import { stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { fillWithMany, MANY_ITEMS, MANY_USERS } from '../support/many-rows.ts';
import { move, proofOf } from '../support/move.ts';
import { newMigratedPlace, newPostgresPlace, newSqlitePlace, type Place } from '../support/place.ts';
import { randomFrom } from '../support/seed.ts';
import { startHere } from '../support/service.ts';
import { startMove } from '../support/start-command.ts';
import { waitingIn } from '../support/waiting-words.ts';

/** A move is killed once in each, some moments after it began. */
const STEPS = ['copying users', 'copying sessions', 'copying content', 'building the search', 'comparing'];
const UNFINISHED =
  'A move or restore into this database was interrupted; run the same "npm run stoa -- move" or "npm run stoa -- restore" again to finish it.\n';
const IN_USE =
  /^(A move uses the database .*; wait until it has ended|A running server or another move uses the .*; stop it first)\.$/;
const TO_POSTGRES = [newSqlitePlace, newPostgresPlace] as const;

describe('Interrupted moves', { concurrency: 1 }, () => {
  it('A move that is killed again and again continues, there and back, and ends with equal checksums', async (t) => {
    const random = randomFrom(t);
    const killSeveralTimes = async (from: Place, to: Place) => {
      for (const step of STEPS) {
        const run = startMove(t, from, to, { step, later: random() * 10 });
        await run.halts();
        run.signal('SIGKILL');
        assert.equal((await run.ended).signal, 'SIGKILL', `killed while ${step}`);
      }
      await servesNobody(t, to);
      const last = await move(from, to);
      assert.equal(last.code, 0, last.stderr);
      return proofOf(last);
    };
    const [begin, middle, end] = [await newSqlitePlace(t), await newPostgresPlace(), await newSqlitePlace(t)];
    await fillWithMany(begin);
    const there = await killSeveralTimes(begin, middle);
    assert.equal(there.length, TABLES.carried.length);
    assert.deepEqual(await killSeveralTimes(middle, end), there);
    const [counted] = await end.sql('SELECT sum(rows) AS users FROM users_buckets');
    assert.equal(counted?.users, MANY_USERS);
    const [tagged] = await middle.sql('SELECT count(*)::int AS tags FROM content_tags');
    assert.equal(tagged?.tags, MANY_ITEMS);
    assert.deepEqual(await end.sql(waitingIn(end)), []);
  });

  it('An interrupted move continues only from its source, and its target cannot be moved', async (t) => {
    const [source, target, other] = [
      await newSqlitePlace(t),
      await newMigratedPlace(t, newPostgresPlace),
      await newSqlitePlace(t),
    ];
    await fillWithMany(source);
    await fillWithMany(other);
    await other.sql("UPDATE secrets SET value = 'of another database'");
    await interrupt(t, source, target);
    const elsewhere = await move(other, target);
    assert.deepEqual([elsewhere.code, elsewhere.stdout], [1, '']);
    assert.match(
      elsewhere.stderr,
      /^The PostgreSQL .* holds the unfinished move or restore of another source, or .*\.\n$/,
    );
    const onwards = await move(target, await newSqlitePlace(t));
    assert.match(
      onwards.stderr,
      /^A move or restore into the PostgreSQL .* was interrupted; run that one again to finish it\.\n$/,
    );
    assert.equal((await move(source, target)).code, 0);
  });

  it('An interrupted move whose source has changed finds no proof and leaves its target unusable', async (t) => {
    const [source, target] = [await newSqlitePlace(t), await newMigratedPlace(t, newPostgresPlace)];
    await fillWithMany(source);
    await interrupt(t, source, target);
    await source.sql("UPDATE users SET role = 'admin' WHERE id = 1");
    const result = await move(source, target);
    assert.deepEqual([result.code, result.stdout], [1, '']);
    assert.match(
      result.stderr,
      /\n"users" differs: 1600 rows with checksum \w{64} in the SQLite .*, 1600 rows with \w{64} in the PostgreSQL .* run it again\.\n$/,
    );
    await servesNobody(t, target);
  });

  for (const [newTarget, name] of [
    [newPostgresPlace, 'PostgreSQL'],
    [newSqlitePlace, 'SQLite'],
  ] as const) {
    it(`A move to ${name} that is interrupted by Ctrl-C says how to continue, exits with 130, and continues`, async (t) => {
      const [source, target] = [await newSqlitePlace(t), await newMigratedPlace(t, newTarget)];
      await fillWithMany(source);
      for (const step of ['copying users', 'building the search']) {
        const run = startMove(t, source, target, { step });
        await run.halts();
        run.signal('SIGINT');
        run.goOn();
        const { code, signal, stdout, stderr } = await run.ended;
        assert.deepEqual([code, signal, stdout], [130, null, ''], `while ${step}: ${stderr}`);
        assert.match(stderr, /\nInterrupted\. Run the same command again to continue the move\.\n$/);
      }
      assert.equal((await serveOn(target)).stderr, UNFINISHED);
      assert.equal((await move(source, target)).code, 0);
    });
  }

  it('A move that loses its database says so in one line, and continues when it is run again', async (t) => {
    const [source, target] = [await newSqlitePlace(t), await newMigratedPlace(t, newPostgresPlace)];
    await fillWithMany(source);
    const run = startMove(t, source, target, { step: 'copying users' });
    await run.halts();
    await target.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    run.goOn();
    const { code, stderr } = await run.ended;
    assert.equal(code, 1);
    assert.match(stderr, /\nThe move was interrupted: .*\. Run it again to continue\.\n$/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.equal((await move(source, target)).code, 0);
  });

  for (const [newSource, newTarget, name] of [
    [...TO_POSTGRES, 'to PostgreSQL'],
    [newPostgresPlace, newSqlitePlace, 'to SQLite'],
  ] as const) {
    it(`A move ${name} has both databases to itself while it runs`, async (t) => {
      const [source, target] = [await newSource(t), await newMigratedPlace(t, newTarget)];
      if (newSource === newSqlitePlace) await fillWithMany(source);
      else await move(await filled(t), source);
      const run = startMove(t, source, target, { step: 'copying users' });
      await run.halts();
      for (const { url } of [source, target])
        await assert.rejects(startHere(t, { DATABASE_URL: url }), { message: IN_USE });
      for (const { code, stderr } of [await migrateOn(source), await move(source, target)]) {
        assert.equal(code, 1);
        assert.match(stderr.trimEnd(), IN_USE);
      }
      run.goOn();
      assert.equal((await run.ended).code, 0);
    });
  }
});

type Lifetime = Parameters<typeof newSqlitePlace>[0];

async function filled(t: Lifetime): Promise<Place> {
  const place = await newSqlitePlace(t);
  await fillWithMany(place);
  return place;
}

async function interrupt(t: Lifetime, source: Place, target: Place): Promise<void> {
  const run = startMove(t, source, target, { step: 'copying content' });
  await run.halts();
  run.signal('SIGKILL');
  assert.equal((await run.ended).signal, 'SIGKILL');
}

const serveOn = ({ url }: Place) => stoa(['serve'], { settings: { DATABASE_URL: url, PORT: '0' } });
/** As `serveOn` of an unfinished move, in this process. */
const servesNobody = (t: Lifetime, { url }: Place) =>
  assert.rejects(startHere(t, { DATABASE_URL: url }), { message: UNFINISHED.trimEnd() });
const migrateOn = ({ url }: Place) => commandHere({ DATABASE_URL: url }, migrateDatabase);

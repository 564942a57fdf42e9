// Needs: processes.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { TABLES } from '../../src/features.ts';
import { stoa } from '../support/command.ts';
import { type Lifetime, temporaryFolder } from '../support/engines.ts';
import { move, proofOf } from '../support/move.ts';
import {
  DIRECTIONS,
  newMigratedPlace,
  newPostgresPlace,
  newSqlitePlace,
  type Place,
} from '../support/place.ts';

const NEW_COLUMNS = [
  'ALTER TABLE users ADD COLUMN nickname TEXT',
  'ALTER TABLE content ADD COLUMN pinned_until INTEGER',
  "ALTER TABLE secrets ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",
] as const;
const ROWS = [
  `INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at, nickname)
   VALUES (1, 'Ada', 'ada', 'a@b.c', 'a@b.c', '', 0, 'Countess 😀'), (2, 'Bob', 'bob', 'b@b.c', 'b@b.c', '', 0, NULL)`,
  `INSERT INTO content (id, author_id, title, content, category, tags, version, created_at, updated_at, pinned_until)
   VALUES (7, 1, 't', 'c', '', '[]', 1, 0, 0, 1234567)`,
  "INSERT INTO secrets (name, value, note) VALUES ('a', 'b', 'kept')",
] as const;

for (const [fromName, toName, newSource, newTarget] of DIRECTIONS) {
  describe(`The schema of a move from ${fromName} to ${toName}`, { concurrency: 3 }, () => {
    const places = async (t: Lifetime) =>
      [await newMigratedPlace(t, newSource), await newMigratedPlace(t, newTarget)] as const;

    it('A move carries every column that both ends have, whether this version knows it or not', async (t) => {
      const [source, target] = await places(t);
      await source.sql(...NEW_COLUMNS, ...ROWS);
      await target.sql(...NEW_COLUMNS);
      const moved = await move(source, target);
      assert.equal(moved.code, 0, moved.stderr);
      assert.equal(proofOf(moved).length, TABLES.carried.length);
      for (const query of [
        'SELECT username, nickname FROM users ORDER BY id',
        'SELECT CAST(pinned_until AS TEXT) AS pinned_until FROM content',
        'SELECT * FROM secrets',
      ]) {
        assert.deepEqual(plain(await target.sql(query)), plain(await source.sql(query)));
      }
      assert.deepEqual(plain(await target.sql('SELECT nickname FROM users WHERE id = 1')), [
        { nickname: 'Countess 😀' },
      ]);
    });

    it('A move refuses a column that only one end has, names it, and copies nothing', async (t) => {
      const [source, target] = await places(t);
      await source.sql("INSERT INTO secrets VALUES ('a', 'b')");
      const before = await target.state();
      await source.sql(NEW_COLUMNS[0]);
      await refuses(source, target, only(fromName, 'users.nickname', 'text'));
      assert.equal(await target.state(), before);

      await target.sql(NEW_COLUMNS[0], NEW_COLUMNS[1]);
      const then = await target.state();
      await refuses(source, target, only(toName, 'content.pinned_until', 'integer'));
      assert.equal(await target.state(), then);
    });

    it('A move refuses a column whose type differs, or which no move carries', async (t) => {
      const [source, target] = await places(t);
      await source.sql('ALTER TABLE users ADD COLUMN age TEXT');
      await target.sql('ALTER TABLE users ADD COLUMN age INTEGER');
      await refuses(source, target, only(fromName, 'users.age', 'text'));

      const [one, other] = await places(t);
      const type = { SQLite: 'BLOB', PostgreSQL: 'bytea' };
      await one.sql(`ALTER TABLE users ADD COLUMN face ${type[fromName]}`);
      await other.sql(`ALTER TABLE users ADD COLUMN face ${type[toName]}`);
      await refuses(
        one,
        other,
        /has the column "users\.face" of the type (blob|bytea), which no move carries/,
      );
    });

    it('A move refuses an unknown table at either end, and copies nothing', async (t) => {
      const [source, target] = await places(t);
      const notMade = await newSqlitePlace(t);
      await source.sql("INSERT INTO secrets VALUES ('a', 'b')");
      const before = await target.state();
      await target.sql('CREATE TABLE notes (id INTEGER PRIMARY KEY)');
      const says = /^The \w+ database .* has the table "notes", which this version of Stoa does not know/;
      await refuses(source, target, says);
      await target.sql('DROP TABLE notes');
      if (toName === 'PostgreSQL') assert.equal(await target.state(), before);
      assert.deepEqual(await target.sql('SELECT * FROM secrets'), []);

      await source.sql('CREATE TABLE notes (id INTEGER PRIMARY KEY)');
      await refuses(source, notMade, says);
      assert.deepEqual(await readdir(dirname(notMade.url.slice('sqlite:'.length))), []);
    });
  });
}

describe('The tables that Litestream makes in a database', () => {
  it('A database with the tables of Litestream is backed up, moved and checked, and only its own data is carried', async (t) => {
    const [source, target] = [await newMigratedPlace(t, newSqlitePlace), await newSqlitePlace(t)];
    await source.sql(...LITESTREAM, "INSERT INTO secrets VALUES ('a', 'b')");
    const { code, stderr } = await move(source, target);
    assert.equal(code, 0, stderr);
    assert.deepEqual(plain(await target.sql('SELECT name FROM secrets')), [{ name: 'a' }]);
    assert.deepEqual(await target.sql("SELECT name FROM sqlite_schema WHERE name LIKE '%litestream%'"), []);

    const settings = { DATABASE_URL: source.url };
    const file = join(await temporaryFolder(t), 'backup.zst');
    const made = await stoa(['backup', file], { settings });
    assert.equal(made.code, 0, made.stderr);
    const { stdout } = await stoa(['doctor'], { settings });
    assert.match(stdout, /^ok {6}schema: /m);
  });

  it('A move fills a file that has the tables of Litestream only', async (t) => {
    const [source, target] = [await newMigratedPlace(t, newSqlitePlace), await newSqlitePlace(t)];
    await target.sql(...LITESTREAM);
    const { code, stderr } = await move(source, target);
    assert.equal(code, 0, stderr);
  });
});

/** As its version 0.5 makes them. */
const LITESTREAM = [
  'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  'CREATE TABLE _litestream_lock (id INTEGER)',
  'INSERT INTO _litestream_seq VALUES (1, 1)',
];

describe('Numbers in a move between two PostgreSQL databases', () => {
  it('A move refuses a number that both ends would round alike, and says where the number is', async (t) => {
    const [source, target] = [
      await newMigratedPlace(t, newPostgresPlace),
      await newMigratedPlace(t, newPostgresPlace),
    ];
    await source.sql("INSERT INTO signing_keys VALUES ('k', '{}', 9007199254740993)");
    await refuses(
      source,
      target,
      /^"signing_keys\.created_at" has the number 9007199254740992 in the row k,/,
    );
  });
});

/** Rows of `node:sqlite` have no prototype. */
const plain = (rows: readonly object[]) => rows.map((row) => ({ ...row }));

function only(engine: string, column: string, type: string): RegExp {
  return new RegExp(
    `^The two databases differ: only the ${engine} database .* has the column "${column}" \\(${type}\\)`,
  );
}

async function refuses(source: Place, target: Place, sentence: RegExp): Promise<void> {
  const { code, stdout, stderr } = await move(source, target);
  assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], stdout + stderr);
  assert.match(stderr, sentence);
}

// Needs: processes.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { moveDatabase } from '../../src/cli/move.ts';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { type Lifetime, temporaryFolder } from '../support/engines.ts';
import { move } from '../support/move.ts';
import {
  DIRECTIONS,
  newMigratedPlace,
  newPostgresPlace,
  newSqlitePlace,
  type Place,
} from '../support/place.ts';
import { startHere } from '../support/service.ts';

const SECRET = 'n0t-to-be-seen';
const NEXT = {
  name: '9999_next',
  effect: { does: 'Makes a table.' },
  statements: () => ['CREATE TABLE next (a INTEGER)'],
};

for (const [fromName, toName, newSource, newTarget] of DIRECTIONS) {
  describe(`Refusals of a move from ${fromName} to ${toName}`, { concurrency: 3 }, () => {
    const places = async (t: Lifetime) =>
      [await newMigratedPlace(t, newSource), await newMigratedPlace(t, newTarget)] as const;

    it('A move refuses a target that is not empty, and leaves it as it was', async (t) => {
      const [source, target] = await places(t);
      await target.sql("INSERT INTO secrets VALUES ('a', 'b')");
      const state = await target.state();
      await refuses(move(source, target), /is not empty: "secrets" has rows; give an empty database\.$/);
      assert.equal(await target.state(), state);
    });

    it('A move refuses a target that has the tables of another program', async (t) => {
      const [source, target] = [await newMigratedPlace(t, newSource), await newTarget(t)];
      await target.sql('CREATE TABLE users (name TEXT)', 'CREATE TABLE migrations (batch INTEGER)');
      await refuses(
        move(source, target),
        /is not empty: it has tables that are not of Stoa; give an empty database\.$/,
      );
    });

    it('A move refuses a source or a target that a server uses, and the server continues', async (t) => {
      const [source, target] = await places(t);
      const [freeSource, freeTarget] = await places(t);
      const servers = await Promise.all(
        [source, target].map(({ url }) => startHere(t, { DATABASE_URL: url })),
      );
      const says = /^A running server or another move uses the .*; stop it first\.$/;
      await Promise.all([refuses(move(source, freeTarget), says), refuses(move(freeSource, target), says)]);
      for (const { url } of servers) assert.equal((await fetch(`${url}/readyz`)).status, 200);
    });

    it('A move refuses the schema of another version at either end', async (t) => {
      const [source, target] = await places(t);
      const newer = await newTarget(t);
      await migrateStore(readConfig({ DATABASE_URL: newer.url }).database, [...MIGRATIONS, NEXT]);
      const wrong = /is of another version of Stoa; use the version that made it, or a newer one\.$/;
      await refuses(move(source, newer), wrong);
      await refuses(move(newer, target), wrong);
    });

    it('A move refuses a source that has no data of Stoa, and makes no target', async (t) => {
      const [source, target] = [await newSource(t), await newSqlitePlace(t)];
      await source.sql('SELECT 1');
      await refuses(move(source, target), /^The .* holds no data of Stoa\.$/);
      assert.deepEqual(await readdir(dirname(target.url.slice('sqlite:'.length))), []);
      await source.sql('CREATE TABLE users (name TEXT)');
      await refuses(move(source, target), /^The .* holds no data of Stoa\.$/);
    });

    it('A move refuses to move a database onto itself', async (t) => {
      const [source] = await places(t);
      await refuses(move(source, source), /^The source and the target are the same database\.$/);
    });
  });
}

describe('Refusals of `stoa move`', { concurrency: 3 }, () => {
  it('`stoa move` refuses a file that does not exist, is a folder, or is no database', async (t) => {
    const folder = await temporaryFolder(t);
    const from = (name: string) => moveHere(`sqlite:${join(folder, name)}`, `sqlite:${folder}/new`);
    for (const missing of ['missing.db', 'nowhere/missing.db']) {
      await refuses(from(missing), /^There is no database file .*missing\.db\.$/);
      assert.deepEqual(await readdir(folder), [], 'no file is made, no lock, no folder');
    }
    await mkdir(join(folder, 'folder'));
    await refuses(from('folder'), /^The SQLite database .*folder cannot be used: .*\.$/);
    await writeFile(join(folder, 'text.db'), 'This is no database. '.repeat(100));
    await refuses(
      from('text.db'),
      /^The SQLite database .*text\.db cannot be used: file is not a database\.$/,
    );
  });

  it('`stoa move` refuses a PostgreSQL database that is missing, away, or has another password', async (t) => {
    const { url } = await newPostgresPlace();
    const other = (change: (to: URL) => void) => {
      const changed = new URL(url);
      change(changed);
      return changed.href;
    };
    const wrong = [
      [
        other((to) => {
          to.pathname = '/nowhere';
        }),
        /: database "nowhere" does not exist\.$/,
      ],
      [
        other((to) => {
          to.password = SECRET;
        }),
        /: password authentication failed for user "postgres"\.$/,
      ],
      [
        other((to) => {
          to.port = '1';
          to.password = SECRET;
        }),
        /: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
      ],
      [`${url}?sslrootcert=/nowhere.pem`, /: ENOENT: .*'\/nowhere\.pem'\.$/],
    ] as const;
    await Promise.all(
      wrong.map(async ([place, says], index) => {
        const file = await newMigratedPlace(t, newSqlitePlace);
        const ends = index % 2 === 0 ? [place, file.url] : [file.url, place];
        await refuses(moveHere(ends[0] ?? '', ends[1] ?? ''), says);
      }),
    );
  });

  it('`stoa move` refuses a PostgreSQL user who may not make tables or not read them', async (t) => {
    const role = `mover_${randomBytes(8).toString('hex')}`;
    const [held, free] = [await newMigratedPlace(t, newPostgresPlace), await newPostgresPlace()];
    await free.sql(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`);
    t.after(() => free.sql(`DROP ROLE ${role}`));
    const as = ({ url }: Place) => Object.assign(new URL(url), { username: role, password: SECRET }).href;
    const file = await newMigratedPlace(t, newSqlitePlace);
    await refuses(moveHere(file.url, as(free)), /: permission denied for schema public\.$/);
    const target = await newSqlitePlace(t);
    await refuses(moveHere(as(held), target.url), /: permission denied for table \w+\.$/);
  });

  it('`stoa move` names the option whose URL is wrong, and shows nothing of the URL', async () => {
    const wrong = ['', SECRET, `mysql://u:${SECRET}@h/d`, `postgres://u:${SECRET}@h:x/d`];
    await Promise.all([
      ...wrong.map((url) => refuses(moveHere(url, 'sqlite:x'), /^--from must .*\.$/)),
      refuses(stoa(['move', '--from', 'sqlite:x', '--to', SECRET]), /^--to must .*\.$/),
    ]);
  });
});

const moveHere = (from: string, to: string) => commandHere({}, () => moveDatabase({ from, to }));

/** One clear sentence, code 1, no stack, no password. */
async function refuses(running: ReturnType<typeof move>, sentence: RegExp): Promise<void> {
  const { code, stdout, stderr } = await running;
  assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], stderr);
  assert.match(stderr.trimEnd(), sentence);
  assert.ok(!stderr.includes(SECRET) && !stderr.includes(':test@'), stderr);
}

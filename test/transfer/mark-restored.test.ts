// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { markRestoredDatabase } from '../../src/cli/mark-restored.ts';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { call, newAccount, newItem, refresh } from '../support/client.ts';
import { commandHere } from '../support/command-here.ts';
import { type Lifetime, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { PLACES, type Place, placeAt } from '../support/place.ts';
import { newPostgresDatabase } from '../support/postgres.ts';
import { startHere } from '../support/service.ts';

for (const { name, newPlace, newEmptyPlace } of PLACES) {
  describe(`\`stoa mark-restored\` on ${name}`, { concurrency: true }, () => {
    it('After `stoa mark-restored` on a copy of an earlier moment no lost id is given again, a newer token is no theft, and no walk goes on', async (t) => {
      const place = await newPlace(t);
      const first = await startHere(t, { DATABASE_URL: place.url });
      const account = await newAccount(first.url);
      for (const title of ['One', 'Two']) await newItem(first.url, account.token, { title });
      const walk = '/api/content?per_page=1&cursor=';
      const next = `${walk}${(await call(first.url, 'GET', walk)).body.data.next_cursor}`;
      await first.stop();
      const copy = await copyOf(t, place);

      const later = await startHere(t, { DATABASE_URL: place.url });
      const newer = (await refresh(later.url, account.refreshToken)).body.data.refresh_token;
      assert.equal((await call(later.url, 'GET', next)).status, 200);
      const { id: lastUserId } = await newAccount(later.url);
      const { id: lastItemId } = await newItem(later.url, account.token);
      await later.stop();

      const marked = await markRestored(copy);
      assert.equal(marked.code, 0, marked.stderr);
      if (name === 'SQLite') assert.deepEqual(await modesOf(fileOf(copy)), [0o600, 0o700]);
      assert.match(marked.stdout, /^The \w+ database .* is marked as restored: it has a new identity/);
      assert.notDeepEqual(await copy.sql(ID), await place.sql(ID));
      const { url } = await startHere(t, { DATABASE_URL: copy.url });
      assertFailure(await refresh(url, newer), 401, 'token_revoked');
      assertFailure(await call(url, 'GET', next), 400, 'validation_failed');
      assert.equal((await refresh(url, account.refreshToken)).status, 200, 'the session lives on');
      const { id } = await newAccount(url);
      assert.ok(id > lastUserId + 1_000_000, `${id}`);
      const item = await newItem(url, account.token);
      assert.ok(item.id > lastItemId + 1_000_000, `${item.id}`);
      assert.equal((await call(url, 'GET', `/api/content/${item.id}`)).status, 200);
    });

    it('`stoa mark-restored` refuses a database that is in use, unfinished, of another version or not there, and changes nothing', async (t) => {
      const place = await newEmptyPlace(t);
      const refuses = async (says: RegExp) => {
        const { code, stderr } = await markRestored(place);
        assert.deepEqual([code, stderr.trimEnd().split('\n').length], [1, 1], stderr);
        assert.match(stderr, says);
      };
      await refuses(/^There is no database of Stoa at /);
      const service = await startHere(t, { DATABASE_URL: place.url });
      const before = await place.sql(ID);
      await refuses(/^A running server or another move uses the .*; stop it first\.$/m);
      await service.stop();
      await place.sql("INSERT INTO move_progress VALUES ('source', 'x')");
      await refuses(/was interrupted; run that one again to finish it\.$/m);
      await place.sql('DELETE FROM move_progress');
      assert.deepEqual(await place.sql(ID), before);

      await migrateStore(readConfig({ DATABASE_URL: place.url }).database, [...MIGRATIONS, NEXT]);
      await refuses(/is of another version of Stoa; use the version that made it, or a newer one\.$/m);
      assert.deepEqual(await place.sql(ID), before);
    });
  });
}

const ID = 'SELECT id, restored_at FROM database_id';
const NEXT = {
  name: '9999_next',
  effect: { does: 'Makes a table.' },
  statements: () => ['CREATE TABLE next (a INTEGER)'],
};

/** `stoa mark-restored` in this process. */
const markRestored = ({ url }: Place) => commandHere({ DATABASE_URL: url }, markRestoredDatabase);

/** A copy of a database that nobody uses. */
async function copyOf(t: Lifetime, place: Place): Promise<Place> {
  if (!place.url.startsWith('sqlite:')) {
    const copy = await newPostgresDatabase(`TEMPLATE ${new URL(place.url).pathname.slice(1)}`);
    return placeAt({ DATABASE_URL: copy });
  }
  const file = join(await temporaryFolder(t), 'stoa.db');
  await copyFile(fileOf(place), file);
  // As Litestream leaves them.
  await chmod(file, 0o644);
  await mkdir(join(dirname(file), '.stoa.db-litestream'));
  await chmod(dirname(file), 0o755);
  return placeAt({ DATABASE_URL: `sqlite:${file}` });
}

/** The modes of a database file and of its folder. */
const modesOf = (file: string) =>
  Promise.all([file, dirname(file)].map(async (each) => (await stat(each)).mode & 0o777));

const fileOf = ({ url }: Place) => url.slice('sqlite:'.length);

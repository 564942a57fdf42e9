// Needs: processes.

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { TABLES } from '../../src/features.ts';
import { type Account, call, newAccount, newItem, refresh } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { proofOf } from '../support/move.ts';
import { DIRECTIONS, type Place } from '../support/place.ts';
import { startProcess } from '../support/process.ts';

const WRITERS = 8;
/** Each writer has made this many pairs before the backup begins, and stops some time after its end. */
const PAIRS_BEFORE = 5;

for (const [fromName, toName, newSource, newTarget] of DIRECTIONS) {
  describe(`A backup of ${fromName} that is restored into ${toName}`, () => {
    it('A backup under writers has one moment, and after its restore tokens work, no id returns and no session ends', async (t) => {
      const [source, target] = await Promise.all([newSource(t), newTarget(t)]);
      const settings = { DATABASE_URL: source.url };
      const file = join(await temporaryFolder(t), 'backup.zst');
      const service = await startProcess(t, settings);
      const [still, busy] = [await newAccount(service.url), await newAccount(service.url)];
      const writers = startWriters(service.url, still);
      await writers.wrote(PAIRS_BEFORE);

      const made = await stoa(['backup', file], { settings });
      assert.equal(made.code, 0, made.stderr);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      await writers.stop();

      const newer = (await refresh(service.url, busy.refreshToken)).body.data.refresh_token;
      const { id: lastUserId } = await newAccount(service.url);
      const { id: lastItemId } = await newItem(service.url, still.token);
      const [lastChange] = await eventuallyNumbered(source);
      assert.equal(await service.stop('SIGTERM'), 0);

      const restored = await stoa(['restore', file], { settings: { DATABASE_URL: target.url } });
      assert.equal(restored.code, 0, restored.stderr);
      assert.equal(proofOf(restored).length, TABLES.carried.length);
      assert.deepEqual(
        proofOf({ ...made, stdout: made.stderr }),
        proofOf(restored),
        'the restored rows are those of the moment',
      );
      const [pairs] = await target.sql(
        'SELECT CAST(count(*) AS INTEGER) AS items, CAST(count(DISTINCT title) AS INTEGER) AS titles FROM content',
      );
      assert.equal(Number(pairs?.items), 2 * Number(pairs?.titles), 'both items of a transaction, or none');
      assert.ok(Number(pairs?.titles) >= WRITERS * PAIRS_BEFORE, 'all that was answered before');
      assert.notDeepEqual(await target.sql(ID), await source.sql(ID), 'the epoch is another');

      const { url } = await startProcess(t, { DATABASE_URL: target.url });
      assert.equal((await call(url, 'GET', '/api/users/me', { token: busy.token })).status, 200);
      for (const _ of ['once', 'and again']) assertFailure(await refresh(url, newer), 401, 'token_revoked');
      assert.equal((await refresh(url, busy.refreshToken)).status, 200, 'the session lives on');
      assertFailure(await refresh(url, newer), 401, 'token_revoked');
      assert.equal((await refresh(url, still.refreshToken)).status, 200);
      const newcomer = await newAccount(url);
      assert.ok(newcomer.id > lastUserId + 1_000_000, `${newcomer.id}`);
      const { id } = await newItem(url, newcomer.token);
      assert.ok(id > lastItemId + 1_000_000, `${id}`);
      const [nextChange] = await eventuallyNumbered(target);
      assert.ok(Number(nextChange?.number) > Number(lastChange?.number) + 1_000_000, 'readers see a gap');
    });
  });
}

const ID = 'SELECT id FROM database_id';

/** The newest change, once all have their numbers. */
async function eventuallyNumbered(place: Place) {
  for (;;) {
    const [waiting] = await place.sql('SELECT place FROM unnumbered_changes LIMIT 1');
    if (!waiting) return place.sql('SELECT number FROM changes ORDER BY number DESC LIMIT 1');
  }
}

/** Writers that make pairs of items, each pair with a title of its own and in one transaction, until they are stopped. */
function startWriters(url: string, { token }: Account) {
  const counts = Array.from({ length: WRITERS }, () => 0);
  let goesOn = true;
  let written = () => {};
  const write = async (_: number, writer: number) => {
    for (let pair = 0; goesOn; pair++) {
      const item = { title: `${writer}.${pair}`, content: 'One of two. '.repeat(40) };
      const operations = [1, 2].map(() => ({ action: 'create', item }));
      const { status, body } = await call(url, 'POST', '/api/content/bulk', { token, body: { operations } });
      // On a busy machine the database may answer too late. It has made both items or none.
      if (status === 503) continue;
      assert.equal(status, 200, JSON.stringify(body));
      counts[writer] = (counts[writer] ?? 0) + 1;
      written();
    }
  };
  const all = Promise.all(counts.map(write));
  return {
    wrote: (each: number) =>
      Promise.race([
        all,
        new Promise<void>((resolve) => {
          written = () => counts.every((count) => count >= each) && resolve();
        }),
      ]),
    stop: async () => {
      goesOn = false;
      await all;
    },
  };
}

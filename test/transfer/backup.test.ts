// Needs: processes.

import assert from 'node:assert/strict';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { restore } from '../../src/cli/restore.ts';
import { TABLES } from '../../src/features.ts';
import {
  type Account,
  call,
  login,
  newAccount,
  newItem,
  newName,
  PASSWORD,
  refresh,
} from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { proofOf } from '../support/move.ts';
import { startPairWriters } from '../support/pair-writers.ts';
import { DIRECTIONS, newMigratedPlace, type Place } from '../support/place.ts';
import { dropDatabase } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { startHere } from '../support/service.ts';

/** Each writer makes this many pairs before the backup begins, and again after its end. */
const PAIRS_BEFORE = 5;
/** Each writer is refused this many times after the database was lost. */
const REFUSALS = 3;
const OTHER_KEY = 'aB0m1v0q7b3Wm2yq8n4rJt9sTzKcXh5LwPdEfGaUi6M';
/** As docs/operations.md says. */
const LOST_KEY = ['signing_keys', 'secrets', 'mails', 'totp_secrets', 'webhook_secrets'].map(
  (table) => `DELETE FROM ${table}`,
);

for (const [fromName, toName, newSource, newTarget] of DIRECTIONS) {
  describe(`The worst day of a service on ${fromName}, which goes on on ${toName}`, () => {
    it('A database that is lost under load is answered 503 only, and its backup has all up to its moment: tokens work, no id returns, no session ends', async (t) => {
      const [source, target] = await Promise.all([newMigratedPlace(t, newSource), newTarget(t)]);
      const settings = { DATABASE_URL: source.url };
      const file = join(await temporaryFolder(t), 'backup.zst');
      const service = await startProcess(t, settings);
      const [still, busy] = [await newAccount(service.url), await newAccount(service.url)];
      const writers = startPairWriters(service.url, still);
      await writers.wrote(PAIRS_BEFORE);
      const answered = [...writers.titles];

      const made = await stoa(['backup', file], { settings });
      assert.equal(made.code, 0, made.stderr);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      await writers.wrote(PAIRS_BEFORE);

      const newer = (await refresh(service.url, busy.refreshToken)).body.data.refresh_token;
      const { id: lastUserId } = await newAccount(service.url);
      const { id: lastItemId } = await newItem(service.url, still.token);
      const [[lastChange], id] = [await newestChange(source), await source.sql(ID)];
      await lose(source);
      await writers.areRefused(REFUSALS);
      await assertRefuses(service.url, busy);
      await writers.stop();
      assert.equal(await service.stop('SIGTERM'), 0);

      const restored = await commandHere({ DATABASE_URL: target.url }, (config) =>
        restore(config, file, undefined),
      );
      assert.equal(restored.code, 0, restored.stderr);
      assert.equal(proofOf(restored).length, TABLES.carried.length);
      assert.deepEqual(
        proofOf({ ...made, stdout: made.stderr }),
        proofOf(restored),
        'the restored rows are those of the moment',
      );
      const pairs = await target.sql(
        'SELECT title, CAST(count(*) AS INTEGER) AS items FROM content GROUP BY 1',
      );
      const items = new Map(pairs.map((pair) => [pair.title, pair.items]));
      assert.ok(
        [...items.values()].every((count) => count === 2),
        'both items of a transaction, or none',
      );
      assert.deepEqual(
        answered.filter((title) => !items.has(title)),
        [],
        'all that was answered before',
      );
      assert.notDeepEqual(await target.sql(ID), id, 'the epoch is another');

      const withoutKey = { DATABASE_URL: target.url, SEALING_KEY: OTHER_KEY };
      await assert.rejects(startHere(t, withoutKey), { message: /is sealed under another key/ });
      const { url, stop } = await startHere(t, { DATABASE_URL: target.url });
      assert.equal((await call(url, 'GET', '/api/users/me', { token: busy.token })).status, 200);
      for (const _ of ['once', 'and again']) assertFailure(await refresh(url, newer), 401, 'token_revoked');
      const next = await refresh(url, busy.refreshToken);
      assert.equal(next.status, 200, 'the session lives on');
      assertFailure(await refresh(url, newer), 401, 'token_revoked');
      assert.equal((await refresh(url, still.refreshToken)).status, 200);
      const newcomer = await newAccount(url);
      assert.ok(newcomer.id > lastUserId + 1_000_000, `${newcomer.id}`);
      const item = await newItem(url, newcomer.token);
      assert.ok(item.id > lastItemId + 1_000_000, `${item.id}`);
      const [nextChange] = await eventuallyNumbered(target);
      assert.ok(Number(nextChange?.number) > Number(lastChange?.number) + 1_000_000, 'readers see a gap');

      await stop();
      await target.sql(...LOST_KEY);
      const other = await startHere(t, withoutKey);
      assertFailure(
        await call(other.url, 'GET', '/api/users/me', { token: busy.token }),
        401,
        'token_invalid',
      );
      assertFailure(await refresh(other.url, next.body.data.refresh_token), 401, 'token_invalid');
      await login(other.url, busy.username);
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

const newestChange = (place: Place) => place.sql('SELECT number FROM changes ORDER BY number DESC LIMIT 1');

/** Deletes the folder of the database, or drops the database with its connections. */
async function lose({ url }: Place): Promise<void> {
  if (url.startsWith('sqlite:')) await rm(dirname(url.slice('sqlite:'.length)), { recursive: true });
  else await dropDatabase(url);
}

/** Nothing that would store something is answered as if it had, and proxies are told to send no more. */
async function assertRefuses(url: string, { username, token, refreshToken }: Account): Promise<void> {
  const name = newName();
  for (const answer of [
    await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } }),
    await call(url, 'POST', '/api/auth/register', {
      body: { username: name, email: `${name}@example.org`, password: PASSWORD },
    }),
    await refresh(url, refreshToken),
    await call(url, 'POST', '/api/content', { token, body: { title: 'Lost', content: '' } }),
    await call(url, 'GET', '/readyz'),
  ])
    assertFailure(answer, 503, 'unavailable');
}

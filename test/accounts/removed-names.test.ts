import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { call, login, newAccount, PASSWORD } from '../support/client.ts';
import { ENGINES, sqlite } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';
import { type Place, placeAt } from '../support/place.ts';
import { releasedDatabase, VERSIONS } from '../support/released-version.ts';
import { startHere } from '../support/service.ts';

/** No other name or address has one of these trigrams, or a trigram that begins as one of them. */
const MARK = 'qjvzwk';
const TRIGRAMS = ['jvz', 'qjv', 'vzw', 'zwk'];

describe('The search index of users, on SQLite', { skip: !ENGINES.includes(sqlite) }, () => {
  it('The index has no part of a former name, or of a removed account, once the request is answered', async (t) => {
    const settings = await sqlite.settings(t);
    const service = await startHere(t, settings);
    const { url } = service;
    const ask = (method: string, path: string, token?: string, body?: object) =>
      call(url, method, path, { token, ...(body && { body }) });
    const place = placeAt(settings);
    const admin = await newWithRole(service, 'admin');
    const first = { username: `${MARK}1`, email: 'one@example.org', password: PASSWORD };
    await ask('POST', '/api/auth/register', undefined, first);
    const { token } = await login(url, first.username);
    await place.sql(others('a'));
    assert.deepEqual(await trigramsIn(place), TRIGRAMS);
    assert.equal((await ask('PUT', '/api/users/me', token, { username: 'one' })).status, 200);
    assert.deepEqual(await trigramsIn(place), []);

    const { id } = await newAccount(url, `${MARK}2`);
    await place.sql(others('b'));
    assert.deepEqual(await trigramsIn(place), TRIGRAMS);
    assert.equal((await ask('DELETE', `/api/users/${id}`, admin.token)).status, 200);
    assert.deepEqual(await trigramsIn(place), []);
    assert.equal((await ask('GET', '/api/users?keyword=one@', token)).body.data.total, 1);
  });

  it('An upgrade takes out of the index what earlier versions left there of removed accounts', async (t) => {
    const { settings } = await releasedDatabase(t, sqlite, VERSIONS[0] ?? '');
    const place = placeAt(settings);
    await place.sql(
      `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
        VALUES ('${MARK}', '${MARK}', 'x@y', 'x@y', '', 0)`,
      `DELETE FROM users WHERE username = '${MARK}'`,
    );
    assert.deepEqual(await trigramsIn(place), TRIGRAMS);
    await migrateStore(readConfig(settings).database);
    assert.deepEqual(await trigramsIn(place), []);
    const found = await place.sql(`SELECT rowid AS id FROM users_search WHERE users_search MATCH '"root"'`);
    const expected = await place.sql(`SELECT id FROM visible_users
      WHERE instr(username_key, 'root') OR instr(email_key, 'root')`);
    assert.ok(expected.length > 0);
    assert.deepEqual(found, expected);
  });
});

/** Many accounts, because a write merges all of a small index. */
function others(name: string): string {
  return `WITH RECURSIVE others (i, name) AS (SELECT 0, 'none' UNION ALL
      SELECT i + 1, '${name}' || lower(hex(randomblob(8))) FROM others WHERE i < 2000)
    INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
    SELECT name, name, name || '@y', name || '@y', '', 0 FROM others WHERE i > 0`;
}

/** The trigrams of the mark that are in pages of the index. */
async function trigramsIn(place: Place): Promise<unknown[]> {
  const rows = await place.sql(
    `SELECT value AS trigram FROM json_each('${JSON.stringify(TRIGRAMS)}') WHERE EXISTS
      (SELECT 1 FROM users_search_data WHERE instr(block, CAST(value AS BLOB)) > 0)`,
  );
  return rows.map(({ trigram }) => trigram);
}

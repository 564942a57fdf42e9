// Needs: processes.

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { giveRole, setDisabled } from '../../src/cli/admin.ts';
import { rotateKeys } from '../../src/cli/keys.ts';
import { restore } from '../../src/cli/restore.ts';
import type { Config } from '../../src/config.ts';
import { TABLES } from '../../src/features.ts';
import { backUpHere } from '../support/backup.ts';
import { type Account, call, login, newAccount, newItem, PASSWORD, refresh } from '../support/client.ts';
import { run } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { fillWithMany } from '../support/many-rows.ts';
import { move, proofOf } from '../support/move.ts';
import { newPersonalToken } from '../support/people.ts';
import {
  DIRECTIONS,
  newMigratedPlace,
  newPostgresPlace,
  newSqlitePlace,
  type Place,
} from '../support/place.ts';
import { startProcess } from '../support/process.ts';
import { codeOf, newGuarded, STEP, signInWith } from '../support/second-factor.ts';
import { startHere } from '../support/service.ts';
import { stoaAtTerminal } from '../support/terminal.ts';

const ITEMS = [
  { title: 'Plain', content: 'Some content.', category: 'notes', tags: ['one', 'two'] },
  {
    title: 'Ünïcödé 中文 😀',
    content: 'e\u0301 ﷺ \u{10ffff} \u2028 "\'\\ %_*',
    category: '分類',
    tags: ['标签', 'é'],
  },
  { title: 'Lines', content: 'a\r\nb\n\tc  \n', category: '', tags: [] },
  { title: 'Empty', content: '', tags: ['two', 'Two'] },
  {
    title: 'A mebibyte',
    content: '中文 😀\n'.repeat(87_000),
    tags: Array.from({ length: 32 }, (_, i) => `t${i}`),
  },
];
const QUERIES = [
  ...[
    '',
    '?keyword=an',
    '?keyword=中文',
    '?keyword=ÜNÏ',
    '?keyword=%25_*',
    '?tag=two',
    '?tag=Two',
    '?category=notes',
  ],
  ...['?category=分類', '?author=1', '?keyword=e&tag=two', '?page=2&per_page=2', '?keyword=文 😀'],
].map((query) => `/api/content${encodeURI(query).replaceAll('%25', '%')}`);
const USER_QUERIES = ['', '?keyword=ada', '?keyword=EXAMPLE.ORG', '?keyword=b', '?page=2&per_page=2'].map(
  (query) => `/api/users${query}`,
);

const ID = 'SELECT id FROM database_id';

for (const [fromName, toName, newSource, newTarget] of DIRECTIONS) {
  describe(`After a move from ${fromName} to ${toName}`, () => {
    it('A move carries everything, tokens work, no id is used again, and the source is unchanged', async (t) => {
      const [source, target] = await Promise.all([newMigratedPlace(t, newSource), newTarget(t)]);
      const before = await furnish(t, source);
      const state = await source.state();

      const moved = await move(source, target);
      assert.equal(moved.code, 0, moved.stderr);
      assert.match(
        moved.stdout,
        new RegExp(`^Moved from the ${fromName} database .* to the ${toName} database`),
      );
      assert.equal(proofOf(moved).length, TABLES.carried.length, moved.stdout);
      assert.ok(!(moved.stdout + moved.stderr).includes(':test@'), 'no password is shown');
      assert.equal(await source.state(), state, 'the source is unchanged');

      const { url } = await startHere(t, { DATABASE_URL: target.url });
      const { ada, bob, carl, dora } = before;
      assert.deepEqual(await everything(url, ada.token), before.answers);
      assert.deepEqual(await keysOf(url), before.keys);
      assertFailure(await call(url, 'GET', '/api/users/me', { token: carl.token }), 401, 'token_revoked');
      const body = { username: carl.username, password: PASSWORD };
      assertFailure(await call(url, 'POST', '/api/auth/login', { body }), 401, 'bad_credentials');
      assert.equal((await call(url, 'GET', '/api/users/me', { token: before.key })).status, 200);
      const code = codeOf(dora.secret, Date.now() + STEP);
      for (const each of [code, dora.recoveryCodes[0] ?? ''])
        assert.equal((await signInWith(url, dora.username, each)).status, 200);
      const edit = { token: bob.token, body: { title: 'By the editor' } };
      assert.equal((await call(url, 'PUT', `/api/content/${before.itemIds[0]}`, edit)).status, 200);

      const newcomer = await newAccount(url);
      assert.ok(newcomer.id > before.lastUserId, `${newcomer.id} > ${before.lastUserId}`);
      const { id } = await newItem(url, newcomer.token);
      assert.ok(id > before.lastItemId, `${id} > ${before.lastItemId}`);
      await refreshRulesHold(url, target, before.tokens);
    });

    it('A restored database stays one after a move, so a refresh token that is newer than the backup is no theft', async (t) => {
      const [lost, source, target] = await Promise.all(
        [newSource, newSource, newTarget].map((newPlace) => newMigratedPlace(t, newPlace)),
      );
      assert.ok(lost && source && target);
      const first = await startHere(t, { DATABASE_URL: lost.url });
      const { refreshToken } = await newAccount(first.url);
      const file = join(await temporaryFolder(t), 'backup.zst');
      await backUpHere({ DATABASE_URL: lost.url }, file);
      const newer = (await refresh(first.url, refreshToken)).body.data.refresh_token;
      await first.stop();
      await succeeds(source, (config) => restore(config, file, undefined));

      const moved = await move(source, target);
      assert.equal(moved.code, 0, moved.stderr);
      assert.notDeepEqual(await target.sql(ID), await source.sql(ID));
      const { url } = await startHere(t, { DATABASE_URL: target.url });
      assertFailure(await refresh(url, newer), 401, 'token_revoked');
      assert.equal((await refresh(url, refreshToken)).status, 200, 'the session lives on');
    });
  });
}

/** Runs a command on this database in this process. */
async function succeeds(place: Place, command: (config: Config) => Promise<unknown>): Promise<void> {
  const { code, stderr } = await commandHere({ DATABASE_URL: place.url }, command);
  assert.equal(code, 0, stderr);
}

/** All that the interface can make, on a server that is stopped again. */
async function furnish(t: TestContext, place: Place) {
  const settings = { DATABASE_URL: place.url };
  const first = await startHere(t, settings);
  const { url } = first;
  const [ada, bob, carl] = [
    await newAccount(url, 'Ada'),
    await newAccount(url, 'bøb'),
    await newAccount(url, 'carl'),
  ];
  await succeeds(place, (config) => giveRole(config, 'bøb', 'editor'));
  await succeeds(place, (config) => setDisabled(config, 'carl', true));
  const key = await newPersonalToken(url, ada);
  const dora = await newGuarded(url);
  const itemIds: number[] = [];
  for (const item of ITEMS) itemIds.push((await newItem(url, ada.token, item)).id);
  const change = { token: ada.token, body: { content: 'Changed once: 😀', tags: ['two'] } };
  assert.equal((await call(url, 'PUT', `/api/content/${itemIds[0]}`, change)).status, 200);
  // Of the long one, a version is a delta of another.
  for (const letter of ['ü', '文']) {
    const content = `${letter}${ITEMS[4]?.content}`;
    const edited = { token: bob.token, body: { content } };
    assert.equal((await call(url, 'PUT', `/api/content/${itemIds[4]}`, edited)).status, 200);
  }
  const { id: lastItemId } = await newItem(url, bob.token);
  await call(url, 'DELETE', `/api/content/${lastItemId}`, { token: bob.token });
  // Accounts cannot be deleted through the interface yet.
  const { id: lastUserId } = await newAccount(url, 'gone');
  await place.sql(`DELETE FROM users WHERE id = ${lastUserId}`);

  await first.stop();

  // From here on tokens are signed with another key.
  await succeeds(place, rotateKeys);
  const second = await startHere(t, settings);
  const tokens = await refreshSessions(second.url, ada);
  const answers = await everything(second.url, ada.token);
  const keys = await keysOf(second.url);
  assert.equal(keys.length, 2);
  await second.stop();
  return { ada, bob, carl, dora, key, itemIds, lastItemId, lastUserId, answers, keys, tokens };
}

/** What lists and searches say, every item in full, and what the caller has. */
async function everything(url: string, token: string) {
  const get = async (path: string) => (await call(url, 'GET', path, { token })).body.data;
  const [content, users] = [await Promise.all(QUERIES.map(get)), await Promise.all(USER_QUERIES.map(get))];
  const items = await Promise.all(
    content[0].items.map(({ id }: { id: number }) => get(`/api/content/${id}`)),
  );
  const sessions = (await get('/api/auth/sessions')).items;
  const personalTokens = await get('/api/auth/tokens');
  const versions = await Promise.all(
    ['1/versions', '1/versions/1', '5/versions', '5/versions/1', '5/versions/2'].map((path) =>
      get(`/api/content/${path}`),
    ),
  );
  return { content, users, items, versions, sessions, personalTokens, me: await get('/api/users/me') };
}

/** Sessions whose refresh token was never used, was used once, and was used twice. */
async function refreshSessions(url: string, { username }: Account) {
  const next = async (token: string): Promise<string> => (await refresh(url, token)).body.data.refresh_token;
  const [unused, parent, oldest] = await Promise.all([1, 2, 3].map(() => login(url, username)));
  assert.ok(unused && parent && oldest);
  const successor = await next(parent.refreshToken);
  const newest = await next(await next(oldest.refreshToken));
  return {
    access: unused.token,
    unused: unused.refreshToken,
    ...{ parent: parent.refreshToken, successor },
    ...{ oldest: oldest.refreshToken, newest },
  };
}

type Tokens = Awaited<ReturnType<typeof refreshSessions>>;

async function refreshRulesHold(url: string, { sql }: Place, tokens: Tokens): Promise<void> {
  assert.equal((await call(url, 'GET', '/api/users/me', { token: tokens.access })).status, 200);
  assert.equal((await refresh(url, tokens.unused)).status, 200);
  // The grace ran out during the move. It is ten seconds in both directions, so that now it has nearly twenty.
  await sql(`UPDATE sessions SET rotated_at = ${Date.now() + 9_000} WHERE ended_at IS NULL`);
  const again = await refresh(url, tokens.parent);
  assert.equal(again.body.data.refresh_token, tokens.successor, 'the parent leads to the same successor');
  assert.equal((await refresh(url, tokens.successor)).status, 200);
  assertFailure(await refresh(url, tokens.oldest), 401, 'token_revoked');
  assertFailure(await refresh(url, tokens.newest), 401, 'token_revoked');
}

async function keysOf(url: string): Promise<unknown[]> {
  return (await (await fetch(`${url}/.well-known/jwks.json`)).json()).keys;
}

describe('A move from SQLite whose server was killed', () => {
  it('A move carries what was only in the write-ahead log, and leaves both files as they are', async (t) => {
    const [source, target] = [
      await newMigratedPlace(t, newSqlitePlace),
      await newMigratedPlace(t, newPostgresPlace),
    ];
    const server = await startProcess(t, { DATABASE_URL: source.url });
    const { id } = await newAccount(server.url);
    await server.stop('SIGKILL');
    const log = await stat(`${source.url.slice('sqlite:'.length)}-wal`);
    assert.ok(log.size > 0);
    const state = await source.state();
    assert.equal((await move(source, target)).code, 0);
    assert.equal(await source.state(), state);
    assert.deepEqual(await target.sql('SELECT id::int FROM users'), [{ id }]);
  });
});

describe('`stoa move` at a terminal', () => {
  it('`stoa move` shows a bar for each step at a terminal, and then the proof', async (t) => {
    if ((await run('sh', ['-c', 'command -v script'])).code !== 0) return t.skip('script is not installed');
    const [source, target] = await Promise.all([newSqlitePlace(t), newPostgresPlace()]);
    await fillWithMany(source);
    const { code, screen } = await stoaAtTerminal(['move', '--from', source.url, '--to', target.url], {}, []);
    assert.equal(code, 0, screen);
    // What a line shows at last is what was drawn over everything before.
    const lines = screen.split('\r\n').map((line) => (line.split('\r').at(-1) ?? '').replace('\x1b[K', ''));
    const bars = lines.filter((line) => /[█░]/.test(line));
    assert.equal(new Set(bars).size, bars.length, screen);
    for (const step of ['copying users', 'copying content', 'comparing users'])
      assert.ok(bars.includes(`${'█'.repeat(30)} 100 %  ${step}`), screen);
    assert.match(screen, /\r\nMoved from the SQLite database/);
  });
});

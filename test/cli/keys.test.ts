// Needs: processes.

import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { diagnose } from '../../src/cli/doctor.ts';
import { revokeKey } from '../../src/cli/keys.ts';
import { reseal } from '../../src/cli/reseal.ts';
import { endSessions } from '../../src/cli/sessions.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { call, login, newAccount, refresh } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { placeAt } from '../support/place.ts';
import { newMigratedDatabase } from '../support/postgres.ts';
import { startHere } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';

const ENGINES: readonly { name: string; settings: (t: TestContext) => Promise<Record<string, string>> }[] = [
  { name: 'SQLite', settings: sqlite.settings },
  {
    name: 'PostgreSQL',
    settings: async (t) => ({
      DATABASE_URL: await newMigratedDatabase(),
      DATA_DIR: await temporaryFolder(t),
    }),
  },
];

for (const engine of ENGINES)
  describe(`Commands while a service runs on ${engine.name}`, { concurrency: 2 }, () => {
    it('`stoa keys revoke` and `stoa sessions end` refuse what was issued, and new tokens work', async (t) => {
      const settings = await engine.settings(t);
      const { url } = await startHere(t, settings);
      const [ada, bob] = [await newAccount(url), await newAccount(url)];
      assert.equal((await me(url, ada.token)).status, 200);

      // One id of 64 begins with a dash.
      if (engine.name === 'SQLite') {
        const { stderr } = await stoa(['keys', 'revoke', '-hY7'], { settings });
        assert.match(stderr, /There is no signing key -hY7;/);
      }
      const revoked = await here(settings, (config) => revokeKey(config, kidOf(ada.token)));
      assert.match(
        revoked,
        /The key \S+ is removed, and its tokens are refused\. New tokens are signed with the key \S+\.\n$/,
      );
      for (const { token } of [ada, bob]) await untilRefused(url, token, 'token_invalid');
      const [again, others] = [await login(url, ada.username), await login(url, bob.username)];
      assert.notEqual(kidOf(again.token), kidOf(ada.token));

      const ended = await here(settings, (config) => endSessions(config, ada.email, false));
      assert.match(ended, /All sessions of ".*" have ended\.\n$/);
      await untilRefused(url, again.token, 'token_revoked');
      for (const { refreshToken } of [ada, again])
        assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
      assert.equal((await me(url, others.token)).status, 200);

      // More than one write ends.
      const { sql } = placeAt(settings);
      await sql(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
        INSERT INTO sessions (id, user_id, token_hash, created_at, rotated_at, idle_expires_at, absolute_expires_at)
        SELECT '-' || n, ${ada.id}, '-' || n, 0, 0, 9000000000000, 9000000000000 FROM numbers`);
      const purposes = ['change_email', 'reset_password', 'revert_email'];
      for (const purpose of purposes)
        await sql(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
          INSERT INTO links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
          SELECT '${purpose}' || n, '${purpose}', ${ada.id}, 'a@b.c', 'a@b.c', '{}', 9000000000000 FROM numbers`);
      await sql(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
        INSERT INTO second_factor_challenges (token_hash, user_id, line, tries, expires_at)
        SELECT '-' || n, ${ada.id}, '', 0, 9000000000000 FROM numbers`);
      const all =
        engine.name === 'SQLite'
          ? await run(settings, 'sessions', 'end', '--all')
          : await here(settings, (config) => endSessions(config, undefined, true));
      assert.match(all, /All sessions have ended\.\n$/);
      assert.deepEqual(await sql('SELECT id FROM sessions WHERE ended_at IS NULL'), []);
      assert.deepEqual(await sql('SELECT token_hash FROM second_factor_challenges'), []);
      const left = await sql('SELECT DISTINCT purpose FROM links');
      assert.deepEqual(
        left.map(({ purpose }) => purpose),
        ['revert_email'],
      );
      await untilRefused(url, others.token, 'token_revoked');
      assertFailure(await refresh(url, bob.refreshToken), 401, 'token_revoked');
      assert.equal((await me(url, (await login(url, ada.username)).token)).status, 200);
    });

    it('`stoa keys reseal` seals everything under a new key, and a kill at any point leaves a usable one', async (t) => {
      const settings = await engine.settings(t);
      const file = readConfig(settings).sealingKeyFile;
      const service = await startHere(t, settings);
      const { token, refreshToken } = await newAccount(service.url);
      await copyFile(file, `${file}-old`);
      const [, name] = /The sealing key ([0-9a-f]{16}) opens/.exec(await diagnosisOf(settings)) ?? [];
      const resealed = await here(settings, (config) => reseal(config, undefined));
      assert.match(resealed, /under a new key, in .*sealing\.key\. .*\nThen restart every running instance/);
      const needed = `Backups that were made until now need the old key ${name}, which is no longer here`;
      assert.ok(resealed.includes(needed), resealed);
      assert.notEqual(await readFile(file, 'utf8'), await readFile(`${file}-old`, 'utf8'));
      assert.equal((await me(service.url, token)).status, 200, 'the running service goes on');
      await service.stop();

      // As the kill after the commit leaves it: the old key is in its place, and the new one is beside it.
      await rename(file, `${file}.next`);
      await copyFile(`${file}-old`, file);
      assert.match(await diagnosisOf(settings), /The sealing key [0-9a-f]{16} opens the database\./);
      const second = await startHere(t, settings);
      assert.equal((await me(second.url, token)).status, 200);
      const next = await refresh(second.url, refreshToken);
      assert.equal(next.status, 200);
      assert.ok(!(await readdir(dirname(file))).includes('sealing.key.next'), 'the new key is in its place');
      await second.stop();

      // As the kill before the commit leaves it: a next key is there, and nothing is sealed under it.
      await copyFile(`${file}-old`, `${file}.next`);
      const third = await startHere(t, settings);
      assert.equal((await refresh(third.url, next.body.data.refresh_token)).status, 200);
      await third.stop();

      await copyFile(`${file}-old`, file);
      await rename(`${file}.next`, `${file}-next`);
      const message = /is sealed under another key than that of \S+sealing\.key;/;
      await assert.rejects(startHere(t, settings), { message });
    });
  });

describe('`stoa keys reseal` of a key that is given in a setting', () => {
  it('`stoa keys reseal` of a key from a setting needs a file, and the service starts with that file', async (t) => {
    const folder = await temporaryFolder(t);
    const own = { DATA_DIR: join(folder, 'data') };
    const service = await startHere(t, own);
    const { refreshToken } = await newAccount(service.url);
    await service.stop();
    const [old, next] = [join(folder, 'old'), join(folder, 'next')];
    await rename(join(own.DATA_DIR, 'sealing.key'), old);

    const given = { ...own, SEALING_KEY_FILE: old };
    const asked = await commandHere(given, (config) => reseal(config, undefined));
    assert.equal(asked.code, 1);
    assert.match(
      asked.stderr,
      /^The key comes from a setting .*: npm run stoa -- keys reseal --to <file>\n$/,
    );
    assert.match(
      await run(given, 'keys', 'reseal', '--to', next),
      /Set SEALING_KEY_FILE to this file[\s\S]*need the old key [0-9a-f]{16}: keep it/,
    );
    await assert.rejects(startHere(t, given), {
      message: /^[^\n]* is sealed under another key than that of [^\n]*$/,
    });
    const SEALING_KEY = (await readFile(next, 'utf8')).trim();
    const { url } = await startHere(t, { ...own, SEALING_KEY });
    assert.equal((await refresh(url, refreshToken)).status, 200);
  });
});

async function run(settings: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await stoa(args, { settings });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** As `run`, in this process: on PostgreSQL, and where another test runs the verb as a process. */
async function here(
  settings: Record<string, string>,
  command: (config: Config) => Promise<void>,
): Promise<string> {
  const { code, stdout, stderr } = await commandHere(settings, command);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** What `stoa doctor` says. */
async function diagnosisOf(settings: Record<string, string>): Promise<string> {
  const findings = await diagnose(() => readConfig(settings));
  return findings.map(({ says }) => says).join('\n');
}

function me(url: string, token: string) {
  return call(url, 'GET', '/api/users/me', { token });
}

/** The command has ended: what it did holds within a second, on a machine that has time. */
async function untilRefused(url: string, token: string, error: string): Promise<void> {
  const elapsed = stopwatch();
  while ((await me(url, token)).status === 200) {
    assert.ok(elapsed() < 10_000, 'still accepted');
    await pause(20);
  }
  assertFailure(await me(url, token), 401, error);
}

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

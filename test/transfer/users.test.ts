// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { call, login, newAccount } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { ENGINES, onEveryEngine, temporaryFolder } from '../support/engines.ts';
import { foreignHash } from '../support/foreign-hashes.ts';
import { MAIN } from '../support/main.ts';
import { execOn, placeAt } from '../support/place.ts';
import { startProcess } from '../support/process.ts';
import { withSealingKey } from '../support/sealing.ts';
import { until } from '../support/until.ts';

const HASH = '$pbkdf2-sha256$i=1000$c29tZXNhbHQ$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M';

function lineOf(username: string, others: Record<string, unknown> = {}): string {
  return JSON.stringify({ username, email: `${username}@example.org`, password_hash: HASH, ...others });
}

function linesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => lineOf(`person${index}`));
}

/** Lines that are refused, each with what is told of it. */
const BAD: readonly (readonly [line: string | Buffer, told: string])[] = [
  ['nonsense', 'The line must be one JSON object in UTF-8.'],
  ['[]', 'The line must be one JSON object in UTF-8.'],
  [Buffer.from([0x22, 0xff, 0x22]), 'The line must be one JSON object in UTF-8.'],
  [lineOf('a'.repeat(17_000)), 'The line is longer than 16 KiB.'],
  [lineOf('good', { id: 7 }), '"id" is not a member of an account; leave it out.'],
  [
    lineOf('good').replace('{', '{"email":"a@b.example",'),
    'The member "email" is there twice; send it once.',
  ],
  [lineOf('a b'), 'username must be 3 to 20 letters, digits or any of "_", "." and "-".'],
  [lineOf('ada', { email: 'nowhere' }), 'email must be an e-mail address, like name@example.org.'],
  [lineOf('ada', { email: undefined }), 'email is required.'],
  [lineOf('ada', { username: 7 }), 'username must be a string.'],
  [lineOf('ada', { role: 'owner' }), 'role must be one of member, editor, admin.'],
  [lineOf('ada', { disabled: 'no' }), 'disabled must be true or false.'],
  [lineOf('ada', { email_verified: null }), 'email_verified must be true or false.'],
  ...[
    'yesterday',
    '2024-02-30T00:00:00Z',
    '2024-05-31T08:30:00',
    '2999-01-01T00:00:00Z',
    5,
    { toString: 0 },
  ].map(
    (created_at) =>
      [
        lineOf('ada', { created_at }),
        'created_at must be a past time from 1970 on, like 2024-05-31T08:30:00Z.',
      ] as const,
  ),
  [
    lineOf('ada', { password_hash: 'secret' }),
    'password_hash must be a hash by argon2, bcrypt, scrypt or PBKDF2 in a form that docs/operations.md lists.',
  ],
  [
    lineOf('ada', { password_hash: HASH.replace('i=1000', 'i=3000000') }),
    'password_hash takes more work than a sign-in may: at most 2000000 iterations for each 32 bytes.',
  ],
  [lineOf('FIRST', { email: 'new@example.org' }), 'Another account has this user name.'],
  [lineOf('second', { email: 'First@example.org' }), 'Another account has this e-mail address.'],
  [
    lineOf('first', { password_hash: HASH.replace('i=1000', 'i=1001') }),
    'This account is there already with another password; it stays as it is.',
  ],
  [
    // Cyrillic, and looks like "cope".
    lineOf('соре', { email: 'look@example.org' }),
    'This user name looks like one that is taken; choose another.',
  ],
];

onEveryEngine('Imports and exports of users', (engine) => {
  // Files are read and written alike on every engine.
  const isFirst = engine === ENGINES[0];
  it('`stoa users import` reports each bad line with its number and reason, and takes all others', async (t) => {
    const settings = await engine.settings(t);
    const file = join(await temporaryFolder(t), 'in.ndjson');
    // Its address is that of the last bad line, and stays free.
    const heir = lineOf('heir', { email: 'look@example.org' });
    const bytes = [
      lineOf('first'),
      lineOf('cope'),
      ...BAD.map(([line]) => line),
      heir,
      '',
      ' \r',
      lineOf('last'),
    ];
    await writeFile(file, Buffer.concat(bytes.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));

    const { code, stdout } = await stoa(['users', 'import', file], { settings });
    const told = BAD.map(([, reason], index) => `Line ${index + 3}: ${reason}`);
    const sum = `4 accounts were imported, 0 were there already, ${BAD.length} lines were refused.`;
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [...told, sum]);
    assert.equal(code, 1);
    const list = await stoa(['users', 'export', '-'], { settings });
    assert.deepEqual(
      list.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).username),
      ['first', 'cope', 'heir', 'last'],
    );
  });

  it('Of two imported lines that share only the user name, or only the address, the second is refused', async (t) => {
    const settings = await engine.settings(t);
    const input = [
      lineOf('ada'),
      lineOf('ADA', { email: 'other@example.org' }),
      lineOf('bob'),
      lineOf('carl', { email: 'BOB@example.org' }),
    ].join('\n');
    const { stdout } = await stoa(['users', 'import', '-'], { settings, input });
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [
      'Line 2: Another account has this user name.',
      'Line 4: Another account has this e-mail address.',
      '2 accounts were imported, 0 were there already, 2 lines were refused.',
    ]);
  });

  if (isFirst) {
    it('`stoa users import` takes a file that begins with a byte order mark', async (t) => {
      const settings = await engine.settings(t);
      const input = `\ufeff${linesOf(2).join('\n')}`;
      const { code, stdout } = await stoa(['users', 'import', '-'], { settings, input });
      assert.deepEqual([code, /(\d+) accounts were imported/.exec(stdout)?.[1]], [0, '2'], stdout);
      const inside = await stoa(['users', 'import', '-'], {
        settings,
        input: `${lineOf('ada')}\n\ufeff${lineOf('bob')}`,
      });
      assert.match(inside.stdout, /^Line 2: The line must be one JSON object in UTF-8\.$/m);
    });
  }

  it('An account that an import refuses is in no change that webhooks and live events tell of', async (t) => {
    const settings = await engine.settings(t);
    const place = placeAt(settings);
    const first = await stoa(['users', 'import', '-'], { settings, input: lineOf('cope') });
    assert.equal(first.code, 0, first.stderr);
    await place.sql(
      `INSERT INTO reserved_names (username_key, username, user_id, free_at) SELECT 'former', 'former', id, ${Date.now() + MINUTE_MS} FROM users`,
    );
    // Of the Cyrillic ones, the first looks like an account that is there, and the last like the line before it.
    const names = ['соре', 'former', 'cope', 'space', 'ѕрасе'];
    const input = names.map((name, index) => lineOf(name, { email: `${index}@example.org` })).join('\n');
    const { stdout } = await stoa(['users', 'import', '-'], { settings, input });
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [
      'Line 1: This user name looks like one that is taken; choose another.',
      'Line 2: This user name is taken; choose another.',
      'Line 3: Another account has this user name.',
      'Line 5: This user name looks like one that is taken; choose another.',
      '1 accounts were imported, 0 were there already, 4 lines were refused.',
    ]);
    const table = engine.name === 'SQLite' ? 'changes' : 'unnumbered_changes';
    const events = await place.sql(`SELECT event FROM ${table}`);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['user.created', 'user.created'],
    );
  });

  it('An account whose foreign hash a sign-in has replaced is there already for the same file', async (t) => {
    const settings = await engine.settings(t);
    const { url } = await startProcess(t, settings);
    const input = lineOf('ada', { password_hash: foreignHash('bcrypt') });
    assert.equal((await stoa(['users', 'import', '-'], { settings, input })).code, 0);
    await login(url, 'ada');
    const { code, stdout } = await stoa(['users', 'import', '-'], { settings, input });
    assert.match(stdout, /^0 accounts were imported, 1 were there already, 0 lines were refused\.$/m);
    assert.equal(code, 0);
  });

  it('`stoa users import` that was killed continues, and its event says how many accounts came', async (t) => {
    const settings = await engine.settings(t);
    const { url } = await startProcess(t, settings);
    const { token } = await newAccount(url);
    const total = async () => (await call(url, 'GET', '/api/users', { token })).body.data.total;
    const lines = linesOf(250);
    const env = { PATH: process.env.PATH, ...COMPILE_CACHE, ...withSealingKey(settings) };
    const child = spawn(process.execPath, [MAIN, 'users', 'import', '-'], { env });
    t.after(() => child.kill('SIGKILL'));
    // The 51st of its second hundred never comes, so that the command waits with fifty lines in its hands.
    child.stdin.write(`${lines.slice(0, 150).join('\n')}\n`);
    await until(async () => (await total()) >= 101, 'a hundred accounts are imported');
    child.kill('SIGKILL');

    const { code, stdout } = await stoa(['users', 'import', '-'], { settings, input: lines.join('\n') });
    assert.match(stdout, /^150 accounts were imported, 100 were there already, 0 lines were refused\.$/m);
    assert.deepEqual([code, await total()], [0, 251]);
    const { stdout: events } = await stoa(['audit', '--event', 'accounts_imported'], { settings });
    assert.deepEqual(events.match(/accounts=\d+/g), ['accounts=100', 'accounts=150']);
  });

  it('`stoa users import` by two at once makes each account once', async (t) => {
    const settings = await engine.settings(t);
    const lines = linesOf(300);
    let repeated = 0;
    const importAll = async (each: string[]) => {
      const input = each.join('\n');
      let result = await stoa(['users', 'import', '-'], { settings, input });
      // On a busy machine one may wait too long for the other, and says what to do.
      while (result.stderr.includes('Run it again to continue.')) {
        repeated++;
        result = await stoa(['users', 'import', '-'], { settings, input });
      }
      assert.equal(result.code, 0, result.stderr);
      return result;
    };
    const results = await Promise.all([lines, lines.toReversed()].map(importAll));
    const sums = results.map(({ stdout }) => stdout.match(/\d+/g)?.slice(-3).map(Number) ?? []);
    const [one, other] = sums;
    if (repeated === 0) assert.equal((one?.[0] ?? 0) + (other?.[0] ?? 0), 300, JSON.stringify(sums));
    const { stdout } = await stoa(['users', 'export', '-'], { settings });
    const names = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).username);
    assert.deepEqual([names.length, new Set(names).size], [300, 300]);
    assert.deepEqual(
      sums.map(([made = 0, there = 0, refused]) => [made + there, refused]),
      [
        [300, 0],
        [300, 0],
      ],
    );
  });

  it('`stoa users import` makes roles, states and verified addresses as in the file', async (t) => {
    const settings = await engine.settings(t);
    const created_at = '2024-05-31T10:30:00.123456+02:00';
    const input = [
      lineOf('root', { role: 'admin', created_at, email_verified: true }),
      lineOf('gone', { disabled: true, created_at }),
    ];
    await stoa(['users', 'import', '-'], { settings, input: input.join('\r\n') });
    const { stdout } = await stoa(['users', 'export', '-'], { settings });
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { username: 'root', role: 'admin', disabled: false, email_verified: true },
        { username: 'gone', role: 'member', disabled: true, email_verified: false },
      ].map(({ username, role, disabled, email_verified }) => ({
        username,
        email: `${username}@example.org`,
        password_hash: HASH,
        role,
        created_at: '2024-05-31T08:30:00.123Z',
        disabled,
        email_verified,
      })),
    );
    const { stdout: events } = await stoa(['audit'], { settings });
    assert.deepEqual(
      events
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ {2,}/).slice(1).join(' ')),
      ['accounts_imported - accounts=2', 'admin_created root', 'accounts_exported - accounts=2'],
    );
  });

  it('An account that is exported and imported elsewhere has its display name and its profile there', async (t) => {
    const [one, other] = [await engine.settings(t), await engine.settings(t)];
    const here = await startProcess(t, one);
    const ada = await newAccount(here.url, 'ada');
    await newAccount(here.url, 'bob');
    // As many parts as a request may bring, in almost 8 KiB.
    const wide = Object.fromEntries(Array.from({ length: 998 }, (_, index) => [`${index}`, 7]));
    const body = { display_name: 'Ada Lovelace', profile: wide };
    const set = await call(here.url, 'PUT', '/api/users/me', { token: ada.token, body });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const more = { ...body, profile: { ...wide, a: 1 } };
    assert.equal(
      (await call(here.url, 'PUT', '/api/users/me', { token: ada.token, body: more })).status,
      400,
    );
    const { stdout: input } = await stoa(['users', 'export', '-'], { settings: one });
    const made = await stoa(['users', 'import', '-'], { settings: other, input });
    assert.equal(made.code, 0, made.stdout);
    const there = await startProcess(t, other);
    for (const [name, has] of [
      ['ada', body],
      ['bob', { display_name: undefined, profile: undefined }],
    ] as const) {
      const { token } = await login(there.url, name);
      const { display_name, profile } = (await call(there.url, 'GET', '/api/users/me', { token })).body.data;
      assert.deepEqual({ display_name, profile }, has);
    }
  });

  it('`stoa users export` disables closed accounts and demanded password changes, and omits removed ones', async (t) => {
    const settings = await engine.settings(t);
    const names = ['active', 'closed', 'demanded', 'removed'];
    await stoa(['users', 'import', '-'], { settings, input: names.map((name) => lineOf(name)).join('\n') });
    await execOn(
      settings,
      `UPDATE users SET visible = 0, closes_at = ${Date.now() + 60_000} WHERE username = 'closed';
      UPDATE users SET must_change_password = 1 WHERE username = 'demanded';
      UPDATE users SET visible = 0, closes_at = 0 WHERE username = 'removed';`,
    );
    const { stdout } = await stoa(['users', 'export', '-'], { settings });
    const accounts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      accounts.map(({ username, disabled }) => [username, disabled]),
      [
        ['active', false],
        ['closed', true],
        ['demanded', true],
      ],
    );
  });

  it('`stoa users export` that fails in the middle leaves no file', async (t) => {
    const settings = await engine.settings(t);
    // More than one read takes.
    const input = linesOf(520).join('\n');
    const made = await stoa(['users', 'import', '-'], { settings, input });
    assert.equal(made.code, 0, made.stderr);
    // A time that no date has.
    await execOn(settings, `UPDATE users SET created_at = 9000000000000000 WHERE username = 'person519';`);
    const folder = await temporaryFolder(t);
    const { code } = await stoa(['users', 'export', join(folder, 'out.ndjson')], { settings });
    assert.equal(code, 1);
    assert.deepEqual(await readdir(folder), []);
  });

  if (isFirst) {
    it('`stoa users export` makes a file for its user only, and never overwrites one', async (t) => {
      const settings = await engine.settings(t);
      await stoa(['users', 'import', '-'], { settings, input: linesOf(3).join('\n') });
      const file = join(await temporaryFolder(t), 'out.ndjson');
      const made = await stoa(['users', 'export', file], { settings });
      assert.deepEqual([made.code, made.stdout], [0, '']);
      assert.ok(made.stderr.endsWith(`\n3 accounts were exported to ${file}.\n`), made.stderr);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const text = await readFile(file, 'utf8');
      assert.equal(text, (await stoa(['users', 'export', '-'], { settings })).stdout);
      await writeFile(file, 'mine');
      const again = await stoa(['users', 'export', file], { settings });
      assert.equal(again.code, 1);
      assert.match(again.stderr, /exists already; name another one, or remove it\.\n$/);
      assert.equal(await readFile(file, 'utf8'), 'mine');
    });

    it('`stoa users` says in one line which file it cannot read or make', async (t) => {
      const settings = await engine.settings(t);
      const folder = await temporaryFolder(t);
      const results = await Promise.all(
        [
          ['import', join(folder, 'none')],
          ['import', folder],
          ['export', join(folder, 'none', 'out')],
        ].map((args) => stoa(['users', ...args], { settings })),
      );
      const begin = `The file ${folder}`;
      assert.deepEqual(
        results.map(({ code, stderr }) => [
          code,
          stderr.trimEnd().split('\n').at(-1)?.slice(0, begin.length),
        ]),
        [1, 1, 1].map((code) => [code, begin]),
      );
      for (const { stderr } of results) assert.doesNotMatch(stderr, /^\s+at /m);
    });
  }
});

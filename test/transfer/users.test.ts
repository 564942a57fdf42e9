// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { onEveryEngine, temporaryFolder } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';
import { withSealingKey } from '../support/sealing.ts';
import { startHere } from '../support/service.ts';
import { until } from '../support/until.ts';
import { accountsIn, HASH, lineOf, linesOf, userCommandsOn } from '../support/user-commands.ts';

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

onEveryEngine('Imports of users by a process', (engine) => {
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
    const list = await userCommandsOn(t, settings).exportTo();
    assert.deepEqual(
      accountsIn(list).map(({ username }) => username),
      ['first', 'cope', 'heir', 'last'],
    );
  });

  it('`stoa users import` that was killed continues, and its event says how many accounts came', async (t) => {
    const settings = await engine.settings(t);
    const { url } = await startHere(t, settings);
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

    const { importText, events } = userCommandsOn(t, settings);
    const { code, stdout } = await importText(lines.join('\n'));
    assert.match(stdout, /^150 accounts were imported, 100 were there already, 0 lines were refused\.$/m);
    assert.deepEqual([code, await total()], [0, 251]);
    const { stdout: told } = await events();
    assert.deepEqual(told.match(/(?<=accounts_imported .*)accounts=\d+/g), ['accounts=100', 'accounts=150']);
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
    const made = accountsIn(await userCommandsOn(t, settings).exportTo());
    const names = made.map(({ username }) => username);
    assert.deepEqual([names.length, new Set(names).size], [300, 300]);
    assert.deepEqual(
      sums.map(([made = 0, there = 0, refused]) => [made + there, refused]),
      [
        [300, 0],
        [300, 0],
      ],
    );
  });
});

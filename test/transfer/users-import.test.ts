import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { login } from '../support/client.ts';
import { ENGINES, onEveryEngine } from '../support/engines.ts';
import { foreignHash } from '../support/foreign-hashes.ts';
import { placeAt } from '../support/place.ts';
import { startHere } from '../support/service.ts';
import { accountsIn, HASH, lineOf, linesOf, userCommandsOn } from '../support/user-commands.ts';

onEveryEngine('Imports of users', (engine) => {
  // Files are read alike on every engine.
  const isFirst = engine === ENGINES[0];
  it('Of two imported lines that share only the user name, or only the address, the second is refused', async (t) => {
    const settings = await engine.settings(t);
    const commands = userCommandsOn(t, settings);
    const input = [
      lineOf('ada'),
      lineOf('ADA', { email: 'other@example.org' }),
      lineOf('bob'),
      lineOf('carl', { email: 'BOB@example.org' }),
    ].join('\n');
    const { stdout } = await commands.importText(input);
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [
      'Line 2: Another account has this user name.',
      'Line 4: Another account has this e-mail address.',
      '2 accounts were imported, 0 were there already, 2 lines were refused.',
    ]);
  });

  if (isFirst) {
    it('`stoa users import` takes a file that begins with a byte order mark', async (t) => {
      const settings = await engine.settings(t);
      const commands = userCommandsOn(t, settings);
      const input = `\ufeff${linesOf(2).join('\n')}`;
      const { code, stdout } = await commands.importText(input);
      assert.deepEqual([code, /(\d+) accounts were imported/.exec(stdout)?.[1]], [0, '2'], stdout);
      const inside = await commands.importText(`${lineOf('ada')}\n\ufeff${lineOf('bob')}`);
      assert.match(inside.stdout, /^Line 2: The line must be one JSON object in UTF-8\.$/m);
    });
  }

  it('An account that an import refuses is in no change that webhooks and live events tell of', async (t) => {
    const settings = await engine.settings(t);
    const commands = userCommandsOn(t, settings);
    const place = placeAt(settings);
    const first = await commands.importText(lineOf('cope'));
    assert.equal(first.code, 0, first.stderr);
    await place.sql(
      `INSERT INTO reserved_names (username_key, username, user_id, free_at) SELECT 'former', 'former', id, ${Date.now() + MINUTE_MS} FROM users`,
    );
    // Of the Cyrillic ones, the first looks like an account that is there, and the last like the line before it.
    const names = ['соре', 'former', 'cope', 'space', 'ѕрасе'];
    const input = names.map((name, index) => lineOf(name, { email: `${index}@example.org` })).join('\n');
    const { stdout } = await commands.importText(input);
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
    const commands = userCommandsOn(t, settings);
    const { url } = await startHere(t, settings);
    const input = lineOf('ada', { password_hash: foreignHash('bcrypt') });
    assert.equal((await commands.importText(input)).code, 0);
    await login(url, 'ada');
    const { code, stdout } = await commands.importText(input);
    assert.match(stdout, /^0 accounts were imported, 1 were there already, 0 lines were refused\.$/m);
    assert.equal(code, 0);
  });

  it('`stoa users import` makes roles, states and verified addresses as in the file', async (t) => {
    const settings = await engine.settings(t);
    const commands = userCommandsOn(t, settings);
    const created_at = '2024-05-31T10:30:00.123456+02:00';
    const input = [
      lineOf('root', { role: 'admin', created_at, email_verified: true }),
      lineOf('gone', { disabled: true, created_at }),
    ];
    await commands.importText(input.join('\r\n'));
    assert.deepEqual(
      accountsIn(await commands.exportTo()),
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
    const { stdout: events } = await commands.events();
    assert.deepEqual(
      events
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ {2,}/).slice(1).join(' ')),
      ['accounts_imported - accounts=2', 'admin_created root', 'accounts_exported - accounts=2'],
    );
  });
});

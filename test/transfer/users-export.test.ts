import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { call, login, newAccount } from '../support/client.ts';
import { onEveryEngine, onOneEngine, temporaryFolder } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { startHere } from '../support/service.ts';
import { accountsIn, lineOf, linesOf, userCommandsOn } from '../support/user-commands.ts';

onEveryEngine('Exports of users', (engine) => {
  it('An account that is exported and imported elsewhere has its display name and its profile there', async (t) => {
    const [one, other] = [await engine.settings(t), await engine.settings(t)];
    const here = await startHere(t, one);
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
    const { stdout: input } = await userCommandsOn(t, one).exportTo();
    const made = await userCommandsOn(t, other).importText(input);
    assert.equal(made.code, 0, made.stdout);
    const there = await startHere(t, other);
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
    const commands = userCommandsOn(t, settings);
    const names = ['active', 'closed', 'demanded', 'removed'];
    await commands.importText(names.map((name) => lineOf(name)).join('\n'));
    await execOn(
      settings,
      `UPDATE users SET visible = 0, closes_at = ${Date.now() + 60_000} WHERE username = 'closed';
      UPDATE users SET must_change_password = 1 WHERE username = 'demanded';
      UPDATE users SET visible = 0, closes_at = 0 WHERE username = 'removed';`,
    );
    const accounts = accountsIn(await commands.exportTo());
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
    const commands = userCommandsOn(t, settings);
    // More than one read takes.
    const input = linesOf(520).join('\n');
    const made = await commands.importText(input);
    assert.equal(made.code, 0, made.stderr);
    // A time that no date has.
    await execOn(settings, `UPDATE users SET created_at = 9000000000000000 WHERE username = 'person519';`);
    const folder = await temporaryFolder(t);
    const { code } = await commands.exportTo(join(folder, 'out.ndjson'));
    assert.equal(code, 1);
    assert.deepEqual(await readdir(folder), []);
  });
});

onOneEngine('Files of an import and an export of users', (engine) => {
  it('`stoa users export` makes a file for its user only, and never overwrites one', async (t) => {
    const settings = await engine.settings(t);
    const commands = userCommandsOn(t, settings);
    await commands.importText(linesOf(3).join('\n'));
    const file = join(await temporaryFolder(t), 'out.ndjson');
    const made = await commands.exportTo(file);
    assert.deepEqual([made.code, made.stdout], [0, '']);
    assert.ok(made.stderr.endsWith(`\n3 accounts were exported to ${file}.\n`), made.stderr);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const text = await readFile(file, 'utf8');
    assert.equal(text, (await commands.exportTo()).stdout);
    await writeFile(file, 'mine');
    const again = await commands.exportTo(file);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists already; name another one, or remove it\.\n$/);
    assert.equal(await readFile(file, 'utf8'), 'mine');
  });

  it('`stoa users` says in one line which file it cannot read or make', async (t) => {
    const settings = await engine.settings(t);
    const commands = userCommandsOn(t, settings);
    const folder = await temporaryFolder(t);
    const results = await Promise.all([
      commands.importFile(join(folder, 'none')),
      commands.importFile(folder),
      commands.exportTo(join(folder, 'none', 'out')),
    ]);
    const begin = `The file ${folder}`;
    assert.deepEqual(
      results.map(({ code, stderr }) => [code, stderr.trimEnd().split('\n').at(-1)?.slice(0, begin.length)]),
      [1, 1, 1].map((code) => [code, begin]),
    );
    for (const { stderr } of results) assert.doesNotMatch(stderr, /^\s+at /m);
  });
});

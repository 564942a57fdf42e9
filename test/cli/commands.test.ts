// Needs: processes.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdmin, giveRole, resetSecondFactor, setDisabled } from '../../src/cli/admin.ts';
import { requireRules } from '../../src/cli/ask.ts';
import { migrateDatabase } from '../../src/cli/migrate.ts';
import { resetPassword } from '../../src/cli/reset-password.ts';
import type { Config } from '../../src/config.ts';
import { call, login, newAccount, PASSWORD, refresh } from '../support/client.ts';
import { run, stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { type Lifetime, lifetimeOfSuite, sqlite, temporaryFolder } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';
import { makeAdmin } from '../support/make-admin.ts';
import { execOn, placeAt } from '../support/place.ts';
import { challengeOf, newGuarded } from '../support/second-factor.ts';
import { startHere } from '../support/service.ts';
import { stoaAtTerminal } from '../support/terminal.ts';

const OPENAPI = new URL('../../openapi.json', import.meta.url);
const ROOT = ['--username', 'root', '--email', 'root@example.org'];
/** Looks like "cope". */
const CYRILLIC = '\u0441\u043e\u0440\u0435';
const PACKAGE = new URL('../../package.json', import.meta.url);
const INSTALLATION = new URL('../../dist/installation.json', import.meta.url);

describe('The command `stoa`', { concurrency: 4 }, () => {
  it('`stoa --help` prints every command to standard output', async () => {
    const { code, stdout, stderr } = await stoa(['--help']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Usage: stoa /);
    for (const verb of ['serve', 'migrate', 'admin', 'openapi'])
      assert.match(stdout, new RegExp(`^  ${verb} `, 'm'));
  });

  it('`stoa --version` prints the version of the package and the commit that was built, and nothing else', async () => {
    const { version } = JSON.parse(await readFile(PACKAGE, 'utf8'));
    const { commit } = JSON.parse(await readFile(INSTALLATION, 'utf8'));
    assert.match(commit, /^(unknown|[0-9a-f]{12}(-dirty)?)$/);
    const stdout = `${version} (commit ${commit})\n`;
    assert.deepEqual(await stoa(['--version']), { code: 0, stdout, stderr: '' });
  });

  for (const args of [['sevre'], ['admin', 'creat'], ['serve', '--prot'], ['admin', 'role', 'ada']]) {
    it(`\`stoa ${args.join(' ')}\` exits with 1 and says what is wrong on standard error`, async () => {
      const { code, stdout, stderr } = await stoa(args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^error: (unknown|missing)/);
      assert.doesNotMatch(stderr, /^\s+at /m);
    });
  }

  it('`stoa migrate` says what it applied, and the next time that the schema is up to date', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const first = await stoa(['migrate'], { settings });
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /^Database: .*\n(applied \d{4}_\w+\n)+$/);
    const again = await commandHere(settings, migrateDatabase);
    const database = `Database: ${join(settings.DATA_DIR, 'stoa.db')}`;
    assert.deepEqual(again, {
      code: 0,
      stdout: `${database}\nThe schema is up to date.\n`,
      stderr: '',
    });
  });

  it('A command whose output is read only in part ends without a word', async (t) => {
    const settings = await sqlite.settings(t);
    // More than a pipe holds.
    await execOn(
      settings,
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
        INSERT INTO audit_events (at, event, detail) SELECT n, 'signed_in', '{}' FROM numbers`,
    );
    const script = `'${process.execPath}' '${MAIN}' audit --limit 5000 | head -c 1`;
    const { stdout, stderr } = await run('sh', ['-c', script], { settings });
    assert.deepEqual([stdout, stderr], ['D', '']);
  });

  it('A command whose output nobody reads does all of its work, and one whose output is the point fails, and says so', async (t) => {
    const settings = await settingsWith(t, 'root');
    const folder = await temporaryFolder(t);
    for (const name of ['one', 'two']) await writeFile(join(folder, `${name}.md`), name);
    for (const outputs of ['', '2>&1']) {
      const args = `content import '${folder}' --author root --source 'a${outputs}'`;
      assert.equal((await unread(`${args} ${outputs}`, settings)).stdout, '0\n');
    }
    const [{ items } = {}] = await placeAt(settings).sql('SELECT count(*) AS items FROM content');
    assert.equal(items, 4);
    for (const args of ['backup -', 'users export -', 'content export']) {
      const { stdout, stderr } = await unread(args, settings);
      assert.equal(stdout, '1\n', stderr);
      assert.match(stderr, /\n(The backup failed|The export was not finished): [^\n]+\n$/);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
  });

  it('`stoa openapi` prints the document of the repository, and leaves no file behind', async (t) => {
    const cwd = await temporaryFolder(t);
    const { code, stdout, stderr } = await stoa(['openapi'], { cwd });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, await readFile(OPENAPI, 'utf8'));
    assert.equal((await run('ls', ['-A'], { cwd })).stdout, '');
  });
});

describe('`stoa admin` while a server runs', { concurrency: 4 }, () => {
  const lifetime = lifetimeOfSuite();
  let settings: Record<string, string> = {};
  let url = '';
  before(async () => {
    settings = { ...(await sqlite.settings(lifetime)), USERS_LIST: 'admins' };
    url = (await startHere(lifetime, settings)).url;
  });

  it('`stoa admin create` takes a password through a pipe while a server runs, and it signs in composed and decomposed', async () => {
    const [composed, decomposed] = ['Zoë läuft'.normalize('NFC'), 'Zoë läuft'.normalize('NFD')];
    assert.notEqual(composed, decomposed);
    const args = ['admin', 'create', '--username', 'root', '--email', 'root@example.org'];
    const made = await stoa(args, { settings, input: `${decomposed}\n` });
    assert.deepEqual([made.code, made.stderr], [0, '']);
    assert.match(made.stdout, /^Database: .*\nThe admin "root" can log in now\.\n$/);
    for (const password of [composed, decomposed]) {
      const { token } = await login(url, 'root', password);
      assert.equal((await call(url, 'GET', '/api/users', { token })).status, 200, JSON.stringify(password));
    }
  });

  it('`stoa admin create` asks at a terminal, and does not show the password', async (t) => {
    if (!(await hasScript())) return t.skip('script (util-linux) is not installed');
    const { code, screen } = await stoaAtTerminal(['admin', 'create'], settings, [
      ['User name: ', 'asked\r'],
      ['E-mail: ', 'asked@example.org\r'],
      ['Password: ', `${PASSWORD}\r`],
      ['Password again: ', `${PASSWORD}\r`],
    ]);
    assert.equal(code, 0, screen);
    assert.match(screen, /asked@example\.org/);
    assert.match(screen, /The admin "asked" can log in now\./);
    assert.ok(!screen.includes(PASSWORD), screen);
    const login = await call(url, 'POST', '/api/auth/login', {
      body: { username: 'asked', password: PASSWORD },
    });
    assert.equal(login.status, 200);
  });

  it('`stoa admin role` takes effect within a second on a running server, without a new login', async () => {
    const [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
    const body = { title: 't', content: 'c' };
    const { id } = (await call(url, 'POST', '/api/content', { token: ada.token, body })).body.data;
    const change = () =>
      call(url, 'PUT', `/api/content/${id}`, { token: bob.token, body: { title: 'by bob' } });
    assert.equal((await change()).status, 403);
    const given = await stoa(['admin', 'role', bob.email, 'editor'], { settings });
    assert.deepEqual([given.code, given.stderr], [0, '']);
    await sleep(1_000);
    assert.equal((await change()).status, 200);
    await commandHere(settings, (config) => giveRole(config, bob.username, 'member'));
    await sleep(1_000);
    assert.equal((await change()).status, 403);
  });

  it('`stoa admin disable` ends sessions and logins within a second, and `enable` allows logins again', async () => {
    const { username, token, refreshToken } = await newAccount(url);
    const login = () => call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    const me = () => call(url, 'GET', '/api/users/me', { token });
    assert.equal((await me()).status, 200);
    assert.equal((await stoa(['admin', 'disable', username], { settings })).code, 0);
    await sleep(1_000);
    assert.equal((await me()).body.data.error, 'token_revoked');
    const refresh = await call(url, 'POST', '/api/auth/refresh', { token: refreshToken });
    assert.equal(refresh.body.data.error, 'token_revoked');
    assert.equal((await login()).status, 401);
    assert.equal((await stoa(['admin', 'enable', username], { settings })).code, 0);
    assert.equal((await login()).status, 200);
    assert.equal((await me()).status, 401, 'the session that was ended stays ended');
  });

  it('`stoa admin reset-second-factor` removes the factors of an account, and leaves an event', async () => {
    const { username, email, token } = await newGuarded(url);
    await challengeOf(url, username);
    const reset = await stoa(['admin', 'reset-second-factor', email], { settings });
    assert.deepEqual([reset.code, reset.stderr], [0, '']);
    assert.match(reset.stdout, /has no second factor now\.\n$/);
    const factors = await call(url, 'GET', '/api/auth/second-factors', { token });
    assert.deepEqual(factors.body.data, { passkeys: 0, recovery_codes_left: 0 });
    await login(url, username);
    const [event = {}] = await placeAt(settings).sql(
      `SELECT detail FROM audit_events JOIN users ON users.id = account_id
        WHERE event = 'second_factors_reset' AND username = '${username}'`,
    );
    assert.equal(event.detail, '{"removed":"totp, recovery_code"}');
    const nobody = await commandHere(settings, (config) => resetSecondFactor(config, 'nobody'));
    assert.deepEqual([nobody.code, nobody.stderr], [1, 'There is no such account.\n']);
  });

  it('`stoa admin reset-password` prints a link that works once, or takes a password', async () => {
    const { username, email, refreshToken } = await newAccount(url);
    const made = await stoa(['admin', 'reset-password', email], {
      settings: { ...settings, PUBLIC_URL: url },
    });
    assert.deepEqual([made.code, made.stderr], [0, '']);
    const [, page, token] = /^(http\S+)#token=(stoa_po_[\w-]{43})\n$/m.exec(made.stdout) ?? [];
    assert.equal(page, `${url}/reset-password`, made.stdout);
    assert.equal((await fetch(page ?? '')).status, 200);
    assert.equal((await refresh(url, refreshToken)).status, 401);
    const use = () =>
      call(url, 'POST', '/api/auth/password/reset', { body: { token, new_password: 'chosen by its owner' } });
    assert.deepEqual([(await use()).status, (await use()).status], [200, 400]);
    await login(url, username, 'chosen by its owner');

    const reset = (account: string, input: string) =>
      commandHere(settings, (config) => resetPassword(config, account), input);
    const typed = await reset(username, 'typed by the operator\n');
    assert.deepEqual([typed.code, typed.stderr], [0, '']);
    assert.match(typed.stdout, /has a new password now, and all its sessions have ended\.\n$/);
    await login(url, username, 'typed by the operator');
    const short = await reset(username, 'short');
    assert.deepEqual([short.code, short.stderr], [1, 'password must have 8 to 256 characters.\n']);
    const told = await placeAt(settings).sql(
      `SELECT event FROM audit_events JOIN users ON users.id = account_id
        WHERE event LIKE 'password_reset%' AND username = '${username}' ORDER BY audit_events.id`,
    );
    assert.deepEqual(
      told.map(({ event }) => event),
      ['password_reset_requested', 'password_reset', 'password_reset'],
    );
    const nobody = await reset('nobody', '');
    assert.deepEqual([nobody.code, nobody.stderr], [1, 'There is no such account.\n']);
  });
});

describe('`stoa admin`', { concurrency: 4 }, () => {
  it('`stoa admin create` makes no account where the two passwords differ', async (t) => {
    if (!(await hasScript())) return t.skip('script (util-linux) is not installed');
    const settings = await sqlite.settings(t);
    const { code, screen } = await stoaAtTerminal(['admin', 'create', ...ROOT], settings, [
      ['Password: ', `${PASSWORD}\r`],
      ['Password again: ', `${PASSWORD}!\r`],
    ]);
    assert.equal(code, 1);
    assert.match(screen, /The two passwords differ, so nothing was changed; run the command again\./);
    const [{ users } = {}] = await placeAt(settings).sql('SELECT count(*) AS users FROM users');
    assert.equal(users, 0);
  });

  it('`stoa admin create` says in one line that it was cancelled at the terminal', async (t) => {
    if (!(await hasScript())) return t.skip('script (util-linux) is not installed');
    const settings = await sqlite.settings(t);
    const { code, screen } = await stoaAtTerminal(['admin', 'create'], settings, [['User name: ', '\u0003']]);
    assert.equal(code, 1);
    assert.match(screen, /Cancelled; nothing was changed\./);
    assert.doesNotMatch(screen, /^\s+at /m);
  });

  it('`stoa admin create` says in one line what is wrong with its options', async (t) => {
    const settings = await sqlite.settings(t);
    const { code, stdout, stderr } = await createHere(settings, 'root', 'nowhere');
    assert.equal(code, 1);
    assert.match(stderr, /^email [^\n]+\n$/);
    assert.doesNotMatch(stdout, /can log in/);
    const right = { username: 'root', email: 'root@example.org', password: PASSWORD };
    for (const wrong of [{ username: 'a b' }, { email: 'nowhere' }, { password: 'short' }]) {
      const message = new RegExp(`^${Object.keys(wrong)} .*$`);
      assert.throws(() => requireRules({ ...right, ...wrong }), { message });
    }
  });

  it('`stoa admin create` names the command that gives the role where the name or address is taken', async (t) => {
    const settings = await settingsWith(t, 'ada');
    const taken = [
      await createHere(settings, 'ADA', 'other@example.org'),
      await createHere(settings, 'other', 'Ada@example.org'),
    ];
    assert.deepEqual(
      taken.map(({ code, stderr }) => [code, stderr]),
      [
        [
          1,
          'There is an account with the user name "ADA" already. Choose another, or make that account an admin: npm run stoa -- admin role ADA admin\n',
        ],
        [
          1,
          'There is an account with the e-mail address "Ada@example.org" already. Choose another, or make that account an admin: npm run stoa -- admin role Ada@example.org admin\n',
        ],
      ],
    );
  });

  it('`stoa admin create` names no account where nobody has the name: it looks like a taken one, or is reserved', async (t) => {
    const settings = await settingsWith(t, 'cope');
    const create = (username: string) => createHere(settings, username, `${randomUUID()}@example.org`);
    await execOn(
      settings,
      `INSERT INTO reserved_names SELECT 'former', 'former', id, ${Date.now() + 60_000} FROM users`,
    );
    const taken = [await create(CYRILLIC), await create('former')];
    assert.deepEqual(
      taken.map(({ code, stderr }) => [code, stderr]),
      [
        [1, 'This user name looks like one that is taken; choose another.\n'],
        [1, 'This user name is taken; choose another.\n'],
      ],
    );
  });

  it('`stoa admin create` obeys the blocklist', async (t) => {
    const settings = await sqlite.settings(t);
    const list = join(await temporaryFolder(t), 'common.txt');
    await writeFile(list, 'Password1\n');
    const create = (others: Record<string, string>) =>
      createHere({ ...settings, ...others }, 'root', 'root@example.org', 'password1');
    const { code, stderr } = await create({ PASSWORD_BLOCKLIST: list });
    assert.deepEqual([code, stderr], [1, 'This password is one of the most common ones; choose another.\n']);
    const made = await create({});
    assert.equal(made.code, 0, made.stderr);
  });

  it('`stoa admin role` and `disable` leave the last admin as it is, and say what to do', async (t) => {
    const settings = await settingsWith(t, 'root');
    const stdout = `Database: ${settings.DATA_DIR}/stoa.db\n`;
    const stderr = '"root" is the last admin; make another admin first.\n';
    const takeRole = (config: Config) => giveRole(config, 'root', 'member');
    for (const command of [takeRole, (config: Config) => setDisabled(config, 'ROOT@example.org', true)])
      assert.deepEqual(await commandHere(settings, command), { code: 1, stdout, stderr });
    await makeAdmin(settings, 'other');
    assert.equal((await commandHere(settings, takeRole)).code, 0);
  });

  it('`stoa admin` names an unknown account or role in one line', async (t) => {
    const settings = await sqlite.settings(t);
    const nobody = await commandHere(settings, (config) => giveRole(config, 'nobody', 'admin'));
    assert.deepEqual([nobody.code, nobody.stderr], [1, 'There is no such account.\n']);
    const king = await commandHere(settings, (config) => giveRole(config, 'nobody', 'king'));
    assert.equal(king.stderr, 'The role must be one of member, editor, admin, not "king".\n');
  });
});

/** Settings for a database that has this admin. */
async function settingsWith(t: Lifetime, username: string): Promise<Record<string, string>> {
  const settings = await sqlite.settings(t);
  await makeAdmin(settings, username);
  return settings;
}

/** `stoa admin create` with a password through a pipe, in this process. */
function createHere(settings: Record<string, string>, username: string, email: string, password = PASSWORD) {
  return commandHere(settings, (config) => createAdmin(config, { username, email }), password);
}

async function hasScript(): Promise<boolean> {
  return (await run('sh', ['-c', 'command -v script'])).code === 0;
}

/** Runs `stoa` with a standard output that is closed before it writes. What this prints is the exit code. */
function unread(args: string, settings: Record<string, string>) {
  const script = `exec 3>&1; { '${process.execPath}' '${MAIN}' ${args}; echo $? >&3; } | exec true`;
  return run('sh', ['-c', script], { settings });
}

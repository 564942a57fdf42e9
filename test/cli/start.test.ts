// Needs: processes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore, nameOf } from '../../src/open-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { newKeyText } from '../../src/services/sealing/key.ts';
import { pathOfNewcomer } from '../support/checkout.ts';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { ENGINES, emptySettings, temporaryFolder } from '../support/engines.ts';
import { placeAt } from '../support/place.ts';
import { startProcess } from '../support/process.ts';
import { releasedDatabase, VERSIONS } from '../support/released-version.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { atTerminal, stoaAtTerminal } from '../support/terminal.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const HINT = /There is no admin yet\. Become one by this link.*\/console\/#setup=stoa_su_/s;
/** What a terminal shows of the log, without its colours. */
const STOPPED_FOR_PEOPLE = /\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*stopped/;
const GREEN = '\u001b[32m';
const HINT_WITHOUT_CONSOLE = 'There is no admin yet. Make one with:  npm run stoa -- admin create';

describe('`stoa serve`', { concurrency: true }, () => {
  it('`stoa serve` says where it listens, where its data is and where the reference is', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const { url, stderr } = await startProcess(t, { DATA_DIR });
    assert.match(stderr(), /\nStoa \d+\.\d+\.\d+\n/);
    assert.ok(stderr().includes(`listening  ${url}\n`));
    assert.ok(stderr().includes(`data       ${join(DATA_DIR, 'stoa.db')} (SQLite)\n`));
    assert.ok(stderr().includes(`reference  ${url}/docs\n`));
    assert.equal((await fetch(`${url}/docs`)).status, 200);
  });

  it('The log of a start says that it made a database, or which steps it applied, and nothing otherwise', async (t) => {
    for (const engine of ENGINES) {
      const settings = await emptySettings(t, engine);
      const { database } = readConfig(settings);
      const first = await startProcess(t, settings);
      assert.ok(first.stdout().includes(`a new database was made at ${nameOf(database)}`), first.stdout());
      assert.equal(await first.stop('SIGTERM'), 0);
      const again = await startProcess(t, settings);
      assert.doesNotMatch(again.stdout(), /was made at|tables were changed/);

      const earlier = await emptySettings(t, engine);
      await migrateStore(readConfig(earlier).database, MIGRATIONS.slice(0, -2), () => {});
      const upgraded = await startProcess(t, earlier);
      const steps = MIGRATIONS.slice(-2).map(({ name }) => name);
      const line = `the tables were changed for this version: ${steps.join(', ')}`;
      assert.ok(upgraded.stdout().includes(line), upgraded.stdout());
    }
  });

  it('A start of a new version, or `stoa migrate`, without the sealing key of the database, or with another, changes no table', async (t) => {
    for (const engine of ENGINES) {
      const { settings } = await releasedDatabase(t, engine, VERSIONS.at(-1) ?? '');
      const steps = () => placeAt(settings).sql('SELECT name FROM migrations ORDER BY name');
      const before = await steps();
      assert.ok(before.length < MIGRATIONS.length, 'an upgrade is due');
      const { SEALING_KEY = '', ...others } = settings;
      const keyless = { DATA_DIR: await temporaryFolder(t), ...others, PORT: '0' };
      for (const [wrong, why] of [
        [keyless, /is sealed, and there is no key at /],
        [{ ...keyless, SEALING_KEY: newKeyText() }, /is sealed under another key than that of SEALING_KEY/],
      ] as const)
        for (const [command, workers] of [
          ['migrate', '1'],
          ['serve', '1'],
          ['serve', '2'],
        ] as const) {
          const { code, stderr } = await stoa([command], { settings: { ...wrong, WORKERS: workers } });
          assert.equal(code, 1);
          assert.match(stderr, why);
        }
      assert.deepEqual(await steps(), before);
      const { stop } = await startProcess(t, { ...keyless, SEALING_KEY });
      assert.equal((await steps()).length, MIGRATIONS.length);
      await stop('SIGTERM');
    }
  });

  it('A start of a new version whose port is taken changes no table, in one process and with workers', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    for (const engine of ENGINES) {
      const settings = await emptySettings(t, engine);
      await migrateStore(readConfig(settings).database, MIGRATIONS.slice(0, -2), () => {});
      for (const WORKERS of ['1', '2']) {
        const taken = { ...settings, WORKERS, PORT: String(port), LOG_LEVEL: 'silent' };
        const { code, stderr } = await stoa(['serve'], { settings: taken });
        const line = `Port ${port} (PORT) is in use by another process; choose another.\n`;
        assert.deepEqual([code, stderr], [1, line]);
        const [{ steps } = {}] = await placeAt(settings).sql('SELECT count(*) AS steps FROM migrations');
        assert.equal(Number(steps), MIGRATIONS.length - 2);
      }
    }
  });

  it('`stoa serve` starts and answers without the client of `fetch`', async (t) => {
    const told = `process.on('exit', () => console.error('loaded', process.moduleLoadList.filter((name) => /undici$/.test(name))))`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(told)}`;
    const service = await startProcess(t, { DATA_DIR: await temporaryFolder(t), NODE_OPTIONS });
    await newAccount(service.url);
    assert.equal(await service.stop('SIGTERM'), 0);
    const lists = service.stderr().match(/^loaded .*/gm) ?? [];
    assert.deepEqual([...new Set(lists)], ['loaded []']);
  });

  it('`stoa serve` says how to make the first admin while there is none, and not afterwards', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const first = await startProcess(t, settings);
    assert.match(first.stderr(), HINT);
    await newAccount(first.url);
    await first.stop('SIGTERM');
    const second = await startProcess(t, settings);
    assert.match(second.stderr(), HINT, 'a member is no admin');
    const args = ['admin', 'create', '--username', 'root', '--email', 'root@example.org'];
    assert.equal((await stoa(args, { settings, input: PASSWORD })).code, 0);
    await second.stop('SIGTERM');
    const third = await startProcess(t, settings);
    assert.ok(!third.stderr().includes('admin'));
    await third.stop('SIGTERM');
    // No command disables the last admin, but a database of before may have it so.
    const database = new DatabaseSync(join(settings.DATA_DIR, 'stoa.db'));
    database.exec("UPDATE users SET disabled_at = 0 WHERE username = 'root'");
    database.close();
    const fourth = await startProcess(t, { ...settings, CONSOLE: 'off' });
    assert.ok(fourth.stderr().includes(HINT_WITHOUT_CONSOLE), 'the only admin is disabled');
  });

  it('`stoa admin link` prints another setup link until there is an admin, and the database has no link as it is', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const { url, stderr } = await startProcess(t, settings);
    const { code, stdout } = await stoa(['admin', 'link'], { settings });
    assert.equal(code, 0);
    const tokens = [stderr(), stdout].map((text) => /#setup=(stoa_su_\S+)/.exec(text)?.[1] ?? '');
    assert.equal(new Set(tokens).size, 2, tokens.join(' '));
    const files = await readdir(settings.DATA_DIR);
    assert.ok(files.includes('stoa.db-wal'), files.join(' '));
    for (const name of files) {
      const bytes = await readFile(join(settings.DATA_DIR, name));
      assert.ok(!tokens.some((token) => token === '' || bytes.includes(token)), name);
    }
    const username = newName();
    const body = { token: tokens[1], username, email: `${username}@example.org`, password: PASSWORD };
    assert.equal((await call(url, 'POST', '/api/setup', { body })).status, 200);
    const refused = await stoa(['admin', 'link'], { settings });
    assert.equal(refused.code, 1);
    assert.doesNotMatch(refused.stdout, /stoa_su_/);
    assert.match(refused.stderr, /^There is an admin already[^\n]*\n$/);
  });

  it('`stoa serve` announces itself once at a terminal, and not in the log too', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t), PORT: '0' };
    const { screen } = await stoaAtTerminal(['serve'], settings, [['/docs', '\u0003']]);
    assert.equal(screen.match(/listening/gi)?.length, 1, screen);
    assert.match(screen, STOPPED_FOR_PEOPLE, 'the log goes on');
    const { stdout, stderr } = await startProcess(t, settings);
    assert.equal(stdout().match(/listening/gi)?.length, 1, stdout());
    assert.equal(stderr().match(/listening/g)?.length, 1, stderr());
  });

  it('The log has lines for people at a terminal, with colours unless NO_COLOR is set, and JSON elsewhere', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const screenWith = async (settings: Record<string, string>) =>
      (await stoaAtTerminal(['serve'], { DATA_DIR, PORT: '0', ...settings }, [['/docs', '\u0003']])).screen;
    assert.ok((await screenWith({})).includes(GREEN), 'the level has a colour');
    assert.ok(!(await screenWith({ NO_COLOR: '1' })).includes('\u001b'));
    const { stdout, stop } = await startProcess(t, { DATA_DIR });
    await stop('SIGTERM');
    const lines = stdout().trimEnd().split('\n');
    const messages = lines.map((line) => JSON.parse(line).msg);
    // On a busy machine an operation may take a second.
    assert.deepEqual(
      messages.filter((message) => message !== 'slow operation'),
      ['listening', 'stopping', 'stopped'],
    );
  });

  it('`npm start` stops cleanly at one Ctrl-C, which both the terminal and npm send', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const settings = { PATH: pathOfNewcomer(), DATA_DIR, PORT: '0' };
    const { screen } = await atTerminal(`npm --prefix ${ROOT} start`, settings, [['/docs', '\u0003']]);
    assert.match(screen, STOPPED_FOR_PEOPLE);
    assert.ok(!existsSync(join(DATA_DIR, 'stoa.db-wal')), 'the database is closed');
  });

  it('`stoa serve` refuses a folder that another server uses, until that server is killed', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t), PORT: '0' };
    const file = join(settings.DATA_DIR, 'stoa.db');
    // Both find an empty folder, and one of them makes the database.
    const started = await Promise.allSettled([startProcess(t, settings), startProcess(t, settings)]);
    const [first] = started.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [refused] = started.flatMap((each) => (each.status === 'rejected' ? each.reason.message : []));
    assert.ok(first, 'one of them serves');
    const line = `Another server uses the database ${file}; stop that one first, or set DATA_DIR to another folder. Several servers share a PostgreSQL database only.\n`;
    assert.equal(refused, `The service did not start:\n${line}`);
    const second = await stoa(['serve'], { settings });
    assert.deepEqual([second.code, second.stdout, second.stderr], [1, '', line]);
    const { username } = await newAccount(first.url);
    const command = await stoa(['sessions', 'end', username], { settings });
    assert.deepEqual([command.code, command.stderr], [0, ''], 'commands work beside a server');

    await first.stop('SIGKILL');
    const { url } = await startProcess(t, settings);
    const login = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    assert.equal(login.status, 200);
  });

  it('A restarted service has all of its data, and its tokens still work', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const first = await startProcess(t, settings);
    const { username, token, refreshToken } = await newAccount(first.url);
    const { data: item } = (await call(first.url, 'POST', '/api/content', { token, body: ITEM })).body;
    assert.equal(await first.stop('SIGTERM'), 0);
    assert.ok(!existsSync(join(settings.DATA_DIR, 'stoa.db-wal')), 'all of it is in one file');

    const { url } = await startProcess(t, settings);
    assert.equal((await call(url, 'GET', '/api/users/me', { token })).body.data.username, username);
    assert.deepEqual((await call(url, 'GET', `/api/content/${item.id}`)).body.data, item);
    const found = await call(url, 'GET', '/api/content?keyword=RETURN&tag=kept');
    assert.equal(found.body.data.total, 1);
    const refreshed = await call(url, 'POST', '/api/auth/refresh', { token: refreshToken });
    assert.equal(refreshed.status, 200);
    const login = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    assert.equal(login.status, 200);
  });

  it('A service whose writer thread ends exits with code 1, and the next start serves', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const service = await startProcess(t, { DATA_DIR, NODE_OPTIONS: await endWriterAt(t, DATA_DIR) });
    const exited = once(service.child, 'exit');
    const { username } = await newAccount(service.url);
    await writeFile(join(DATA_DIR, 'end-the-writer'), '');
    assert.deepEqual(await exited, [1, null]);
    assert.match(service.stdout(), /The writer-thread ended unexpectedly/);
    const { url } = await startProcess(t, { DATA_DIR });
    const login = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    assert.equal(login.status, 200);
  });

  it('A client whose headers take longer than 10 s gets 408 and is disconnected', async (t) => {
    const { url } = await startProcess(t, { DATA_DIR: await temporaryFolder(t) });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    const [began, elapsed] = [Date.now(), stopwatch()];
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n');
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 500);
    t.after(() => clearInterval(drip));
    await once(socket, 'end');
    const [seconds, without] = [(Date.now() - began) / 1000, elapsed() / 1000];
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    assert.equal(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).data.error, 'request_timeout');
    assert.ok(seconds >= 9.5 && without < 15, `${seconds} s, ${without} s without waiting for a processor`);
  });
});

const ITEM = { title: newName('title'), content: 'What stays after a return.', tags: ['kept'] };

/** Makes the writer thread of a real service end when the file `end-the-writer` appears. */
async function endWriterAt(t: TestContext, folder: string): Promise<string> {
  const module = join(await temporaryFolder(t), 'end-writer.mjs');
  await writeFile(
    module,
    `import { existsSync } from 'node:fs';
import { threadName } from 'node:worker_threads';
if (threadName === 'writer-thread') {
  setInterval(() => existsSync(${JSON.stringify(join(folder, 'end-the-writer'))}) && process.exit(1), 20).unref();
}`,
  );
  return `--import=${module}`;
}

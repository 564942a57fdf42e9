// Needs: processes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { printSetupLink } from '../../src/cli/admin.ts';
import { openServerStore } from '../../src/cli/open-server-store.ts';
import { readConfig } from '../../src/config.ts';
import { pathOfNewcomer } from '../support/checkout.ts';
import { type Account, call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { makeAdmin } from '../support/make-admin.ts';
import { execOn } from '../support/place.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startHere, startService } from '../support/service.ts';
import { isSlowLine } from '../support/slow-line.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { atTerminal, stoaAtTerminal } from '../support/terminal.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const HINT = /There is no admin yet\. Become one by this link.*\/console\/#setup=stoa_su_/s;
/** What a terminal shows of the log, without its colours. */
const STOPPED_FOR_PEOPLE = /\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*stopped/;
const ESCAPE = '\u001b';
const GREEN = `${ESCAPE}[32m`;
const HINT_WITHOUT_CONSOLE = 'There is no admin yet. Make one with:  npm run stoa -- admin create';
const ITEM = { title: newName('title'), content: 'What stays after a return.', tags: ['kept'] };

// One test, because each step goes on where the one before it ended.
it('`stoa serve` keeps its data and says what is needed, from the first start of a folder to the third', async (t) => {
  const DATA_DIR = await temporaryFolder(t);
  const told = `process.on('exit', () => console.error('loaded', process.moduleLoadList.filter((name) => /undici$/.test(name))))`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(told)}`;
  const first = await startProcess(t, { DATA_DIR, NODE_OPTIONS });
  let second: ServiceProcess;
  let member: Account;
  let item: { id: number };

  await t.test(
    '`stoa serve` says where it listens, where its data is and where the reference is',
    async () => {
      const { url, stderr } = first;
      assert.match(stderr(), /\nStoa \d+\.\d+\.\d+\n/);
      assert.ok(stderr().includes(`listening  ${url}\n`));
      assert.ok(stderr().includes(`data       ${join(DATA_DIR, 'stoa.db')} (SQLite)\n`));
      assert.ok(stderr().includes(`reference  ${url}/docs\n`));
      assert.equal((await fetch(`${url}/docs`)).status, 200);
    },
  );

  await t.test('The log of the first start says that it made a database', () => {
    assert.ok(first.stdout().includes(`a new database was made at ${join(DATA_DIR, 'stoa.db')}`));
  });

  await t.test('`stoa serve` starts and answers without the client of `fetch`', async () => {
    member = await newAccount(first.url);
    item = (await call(first.url, 'POST', '/api/content', { token: member.token, body: ITEM })).body.data;
    assert.equal(await first.stop('SIGTERM'), 0);
    const lists = first.stderr().match(/^loaded .*/gm) ?? [];
    assert.deepEqual([...new Set(lists)], ['loaded []']);
  });

  await t.test('A restarted service has all of its data, and its tokens still work', async () => {
    assert.ok(!existsSync(join(DATA_DIR, 'stoa.db-wal')), 'all of it is in one file');
    second = await startProcess(t, { DATA_DIR });
    const { url } = second;
    const { username, token, refreshToken } = member;
    assert.equal((await call(url, 'GET', '/api/users/me', { token })).body.data.username, username);
    assert.deepEqual((await call(url, 'GET', `/api/content/${item.id}`)).body.data, item);
    const found = await call(url, 'GET', '/api/content?keyword=RETURN&tag=kept');
    assert.equal(found.body.data.total, 1);
    const refreshed = await call(url, 'POST', '/api/auth/refresh', { token: refreshToken });
    assert.equal(refreshed.status, 200);
    const login = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    assert.equal(login.status, 200);
  });

  await t.test(
    '`stoa admin link` prints another setup link until there is an admin, and the database has no link as it is',
    async () => {
      assert.match(first.stderr(), HINT);
      assert.match(second.stderr(), HINT, 'a member is no admin');
      const settings = { DATA_DIR };
      const { code, stdout } = await stoa(['admin', 'link'], { settings });
      assert.equal(code, 0);
      const tokens = [second.stderr(), stdout].map((text) => /#setup=(stoa_su_\S+)/.exec(text)?.[1] ?? '');
      assert.equal(new Set(tokens).size, 2, tokens.join(' '));
      const files = await readdir(DATA_DIR);
      assert.ok(files.includes('stoa.db-wal'), files.join(' '));
      for (const name of files) {
        const bytes = await readFile(join(DATA_DIR, name));
        assert.ok(!tokens.some((token) => token === '' || bytes.includes(token)), name);
      }
      const body = { token: tokens[1], username: 'root', email: 'root@example.org', password: PASSWORD };
      assert.equal((await call(second.url, 'POST', '/api/setup', { body })).status, 200);
      const refused = await commandHere(settings, printSetupLink);
      assert.equal(refused.code, 1);
      assert.doesNotMatch(refused.stdout, /stoa_su_/);
      assert.match(refused.stderr, /^There is an admin already[^\n]*\n$/);
    },
  );

  await t.test(
    '`stoa serve` announces itself once in each of its outputs, and its log has one JSON object a line',
    async () => {
      await second.stop('SIGTERM');
      assert.equal(second.stderr().match(/listening/g)?.length, 1, second.stderr());
      const lines = second.stdout().trimEnd().split('\n');
      const messages = lines.filter((line) => !isSlowLine(line)).map((line) => JSON.parse(line).msg);
      assert.deepEqual(messages, ['listening', 'stopping', 'stopped']);
    },
  );

  await t.test(
    'At a terminal `stoa serve` announces itself once, and not in the log too, which has lines for people, with colours',
    async () => {
      const settings = { DATA_DIR, PORT: '0' };
      const { screen } = await stoaAtTerminal(['serve'], settings, [['/docs', '\u0003']]);
      assert.equal(screen.match(/listening/gi)?.length, 1, screen);
      assert.match(screen, STOPPED_FOR_PEOPLE, 'the log goes on');
      assert.ok(screen.includes(GREEN), 'the level has a colour');
      assert.ok(!screen.includes('admin'), 'there is one by now');
    },
  );
});

describe('`stoa serve`', { concurrency: true }, () => {
  it('`npm start` says how to make an admin where the only one is disabled, shows no colours where NO_COLOR is set, and stops cleanly at one Ctrl-C, which both the terminal and npm send', async (t) => {
    const { DATA_DIR = '' } = await sqlite.settings(t);
    await makeAdmin({ DATA_DIR }, 'root');
    // No command disables the last admin, but a database of before may have it so.
    await execOn({ DATA_DIR }, "UPDATE users SET disabled_at = 0 WHERE username = 'root'");
    const settings = { PATH: pathOfNewcomer(), DATA_DIR, PORT: '0', CONSOLE: 'off', NO_COLOR: '1' };
    const { screen } = await atTerminal(`npm --prefix ${ROOT} start`, settings, [['/docs', '\u0003']]);
    assert.ok(screen.includes(HINT_WITHOUT_CONSOLE), screen);
    assert.match(screen, STOPPED_FOR_PEOPLE);
    // When the service has ended, npm clears the line.
    const own = screen.slice(screen.indexOf('listening'), screen.indexOf('stopped'));
    assert.ok(!own.includes(ESCAPE), own);
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
    const silent = pino({ level: 'silent' });
    await assert.rejects(openServerStore(readConfig(settings), silent), { message: line.trimEnd() });
    const { username } = await newAccount(first.url);
    const command = await stoa(['sessions', 'end', username], { settings });
    assert.deepEqual([command.code, command.stderr], [0, ''], 'commands work beside a server');

    await first.stop('SIGKILL');
    const { url } = await startHere(t, settings);
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
    const { url } = await startHere(t, { DATA_DIR });
    const login = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    assert.equal(login.status, 200);
  });

  it('A client whose headers take longer than 10 s gets 408 and is disconnected', async (t) => {
    const { url } = await startService(t, sqlite);
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

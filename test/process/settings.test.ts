import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

/** Wrong values of each setting, and what its one line must say beside its name. */
const WRONG: readonly (readonly [name: string, value: string, hint: RegExp])[] = [
  ['HOST', '', /must not be empty/],
  ['HOST', '203.0.113.9', /address of this machine/],
  ['HOST', 'there-is-no-such-host.invalid', /address or a name of this machine/],
  ['PORT', '70000', /from 0 to 65535/],
  ['PORT', '80a', /from 0 to 65535/],
  ['DATABASE_URL', 'mysql://localhost/stoa', /must be sqlite:<path> or postgres:/],
  ['DATA_DIR', ' ', /must not be empty/],
  ['DATA_DIR', '/etc/hostname', /must be a folder/],
  ['LOG_LEVEL', 'loud', /must be one of debug, info/],
  ['TRUST_PROXY', 'on', /addresses of the proxies/],
  ['TRUST_PROXY', '10.0.0.0/64', /addresses of the proxies/],
  ['PUBLIC_URL', 'stoa.example.org', /http or https URL/],
  ['CONTENT_READ', 'all', /must be one of public, members/],
  ['USERS_LIST', 'nobody', /must be one of members, admins/],
  ['TOKEN_SECRET', '', /at least 32 characters/],
  ['TOKEN_SECRET', 'x'.repeat(31), /at least 32 characters/],
  ['PASSWORD_BLOCKLIST', '/there/is/no/such/file', /must name a readable file/],
];

describe('A setting', { concurrency: 4 }, () => {
  for (const [name, value, hint] of WRONG) {
    it(`${name}=${JSON.stringify(value)} ends the start with code 1 and one line that names it`, async (t) => {
      const settings = { DATA_DIR: await temporaryFolder(t), PORT: '0', LOG_LEVEL: 'silent', [name]: value };
      const { code, stdout, stderr } = await stoa(['serve'], { settings });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, hint);
      assert.match(stderr, new RegExp(`^${name} [^\\n]*\\n$`));
    });
  }

  it('that is wrong never hides another: each has its line', async () => {
    const settings = { PORT: '-1', LOG_LEVEL: 'loud', TOKEN_SECRET: 'short', PUBLIC_URL: 'nowhere' };
    const { code, stderr } = await stoa(['serve'], { settings });
    assert.equal(code, 1);
    const named = stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    assert.deepEqual(named.toSorted(), ['LOG_LEVEL', 'PORT', 'PUBLIC_URL', 'TOKEN_SECRET']);
    assert.doesNotMatch(stderr, /short/, 'a secret is not repeated, not even a refused one');
  });

  it('comes from the file .env too, and the environment goes before it', async (t) => {
    const cwd = await temporaryFolder(t);
    await writeFile(join(cwd, '.env'), 'LOG_LEVEL=loud\nPORT=x\n');
    const settings = { DATA_DIR: cwd, PORT: '0' };
    const { code, stderr } = await stoa(['serve'], { settings, cwd });
    assert.equal(code, 1);
    assert.match(stderr, /^LOG_LEVEL [^\n]*\n$/);
  });

  it('PORT that another process has is one clear line', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const settings = { DATA_DIR: await temporaryFolder(t), PORT: String(port), LOG_LEVEL: 'silent' };
    const { code, stdout, stderr } = await stoa(['serve'], { settings });
    assert.deepEqual([code, stdout, stderr], [1, '', 'PORT is in use by another process; choose another.\n']);
  });

  it('that names a file which is no database is one clear line', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'stoa.db'), 'This is a letter, not a database.'.repeat(100));
    const { code, stderr } = await stoa(['serve'], { settings: { DATA_DIR: folder, PORT: '0' } });
    assert.equal(code, 1);
    assert.match(stderr, /^The database file [^\n]*\n$/);
  });
});

describe('What the service keeps secret', { concurrency: true }, () => {
  it('lies in a folder of mode 0700, in files of mode 0600', async (t) => {
    const parent = await temporaryFolder(t);
    await mkdir(join(parent, 'home'));
    const folder = join(parent, 'home', 'data');
    const { url } = await startProcess(t, { DATA_DIR: folder });
    await newAccount(url);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const files = await readdir(folder);
    assert.ok(files.includes('stoa.db-wal'), files.join());
    for (const file of files) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file);
  });

  it('is on neither of its outputs, whatever a client does and at every log level', async (t) => {
    const secret = 'a secret of at least thirty-two characters';
    const settings = { DATA_DIR: await temporaryFolder(t), LOG_LEVEL: 'debug', TOKEN_SECRET: secret };
    const service = await startProcess(t, settings);
    const { url } = service;
    const { username, token, refreshToken } = await newAccount(url);
    const attempts = [
      call(url, 'POST', '/api/auth/login', { body: { username, password: `${PASSWORD}!` } }),
      call(url, 'POST', '/api/auth/register', { body: { username, email: 'x', password: PASSWORD } }),
      call(url, 'POST', '/api/auth/login', { body: `{"password":"${PASSWORD}"` }),
      call(url, 'POST', '/api/auth/refresh', { token: refreshToken }),
      call(url, 'GET', '/api/users/me', { token: `${token}x` }),
      call(url, 'GET', `/api/users?keyword=${token}`, { token }),
    ];
    const answers = await Promise.all(attempts);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 400, 400, 200, 401, 400],
    );
    assert.equal(await service.stop('SIGTERM'), 0);
    const written = service.stdout() + service.stderr();
    assert.match(written, /"msg":"stopped"/);
    for (const each of [secret, PASSWORD, token, refreshToken, '$argon2', '"d":"']) {
      assert.ok(!written.includes(each), `found ${each}`);
    }
  });
});

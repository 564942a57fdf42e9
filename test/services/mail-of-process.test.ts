// Needs: processes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { forget, reset, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { SERVE } from '../support/main.ts';
import { startProcess } from '../support/process.ts';

it('A service mails a reset link that works, and logs nothing of it', async (t) => {
  const server = await startMailServer(t);
  const settings = { DATA_DIR: await temporaryFolder(t), LOG_LEVEL: 'debug', ...server.settings };
  const service = await startProcess(t, settings);
  const { url } = service;
  const { username, email } = await newAccount(url);
  assert.equal((await forget(url, email)).status, 200);
  const link = tokenIn(await server.next());
  const password = 'a better horse battery';
  assert.equal((await reset(url, link, password)).status, 200);
  const body = { username, password };
  assert.equal((await call(url, 'POST', '/api/auth/login', { body })).status, 200);
  assert.equal((await server.next()).subject, 'Your password was changed');
  assert.equal(await service.stop('SIGTERM'), 0);
  const written = service.stdout() + service.stderr();
  for (const secret of [link, 'reset-password', email, password])
    assert.ok(!written.includes(secret), written);
});

it('The CA that `.env` names in NODE_EXTRA_CA_CERTS is trusted, and a file that names none ends the start', async (t) => {
  const cwd = await temporaryFolder(t);
  const [key, cert] = [join(cwd, 'key.pem'), join(cwd, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const made = ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert];
  execFileSync('openssl', made, { stdio: 'ignore' });
  const server = await startMailServer(t, {
    key: readFileSync(key, 'utf8'),
    cert: readFileSync(cert, 'utf8'),
  });
  await writeFile(join(cwd, '.env'), `NODE_EXTRA_CA_CERTS=${cert}\n`);
  for (const WORKERS of ['1', '2']) {
    const settings = { DATA_DIR: join(cwd, WORKERS), WORKERS, ...server.settings };
    const by = { program: process.execPath, args: SERVE, cwd };
    const { url, stop } = await startProcess(t, settings, by);
    const { email } = await newAccount(url);
    assert.equal((await forget(url, email)).status, 200);
    tokenIn(await server.nextTo(email));
    await stop('SIGTERM');
  }

  for (const file of [key, join(cwd, 'none.pem')]) {
    await writeFile(join(cwd, '.env'), `NODE_EXTRA_CA_CERTS=${file}\n`);
    const { code, stderr } = await stoa(['serve'], { settings: { PORT: '0', DATA_DIR: cwd }, cwd });
    assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr);
    assert.ok(stderr.startsWith('NODE_EXTRA_CA_CERTS must name a readable file of certificates'), stderr);
  }
});

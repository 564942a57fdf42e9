// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { temporaryFolder } from '../support/engines.ts';
import { forget, reset, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
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

// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../support/engines.ts';

const UNIT = readFileSync(new URL('../../docs/examples/stoa@.service', import.meta.url), 'utf8');

it('The systemd unit waits for a start as long as it lives, until the instance is ready, and ends with one that failed, also without curl', async (t) => {
  // Others are waited for, and a migration takes its time.
  assert.match(UNIT, /^TimeoutStartSec=infinity$/m);
  const [, script = ''] = /^ExecStartPost=\/bin\/sh -c '(.*)'$/m.exec(UNIT) ?? [];
  let asked = 0;
  const server = createServer((_request, response) => response.writeHead(++asked < 3 ? 503 : 200).end());
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const port = String(Object(server.address()).port);
  // Of all commands of a machine, these are there anywhere.
  const bin = await temporaryFolder(t);
  await symlink('/bin/sleep', join(bin, 'sleep'));
  const waitFor = async (mainPid: number | undefined) => {
    // As systemd does before it gives the rest to the shell.
    const shell = ['-c', script.replaceAll('$$', '$').replaceAll('%i', port)];
    const env = { PATH: bin, MAINPID: String(mainPid) };
    const [code] = await once(spawn('/bin/sh', shell, { env, stdio: 'ignore' }), 'exit');
    return code;
  };
  assert.equal(await waitFor(process.pid), 0);
  assert.equal(asked, 3);
  const failed = spawn(process.execPath, ['--eval', '']);
  await once(failed, 'exit');
  assert.equal(await waitFor(failed.pid), 1);
});

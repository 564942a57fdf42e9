// Needs: processes.

import assert from 'node:assert/strict';
import { chmod, copyFile, readdir, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startProcess } from '../support/process.ts';
import { SEALING_KEY } from '../support/sealing.ts';
import { until } from '../support/until.ts';

const DATABASE = ['stoa.db', 'stoa.db-shm', 'stoa.db-wal'];

it('While the database file and its log are elsewhere no write is answered with 200, and all goes on when they are back', async (t) => {
  const { DATA_DIR, url, write, assertRefuses } = await serviceWithItem(t);
  const elsewhere = await temporaryFolder(t);
  const moveAll = (from: string, to: string) =>
    Promise.all(DATABASE.map((name) => rename(join(from, name), join(to, name))));
  await moveAll(DATA_DIR, elsewhere);
  await assertRefuses();
  const made = (await readdir(DATA_DIR)).filter((name) => DATABASE.includes(name));
  assert.deepEqual(made, [], 'nothing is made in their place');
  await moveAll(elsewhere, DATA_DIR);
  await until(async () => (await call(url, 'GET', '/readyz')).status === 200, 'the service is ready again');
  assert.equal((await write()).body.data.version, 2);
});

it('After the log of the database was deleted no write is answered with 200', async (t) => {
  const { DATA_DIR, assertRefuses } = await serviceWithItem(t);
  await rm(join(DATA_DIR, 'stoa.db-wal'));
  await assertRefuses();
});

it('Files that were deleted under the service are whole in /proc until it stops', async (t) => {
  const { DATA_DIR, id, token, child, stop } = await serviceWithItem(t);
  await rm(DATA_DIR, { recursive: true });
  const saved = await temporaryFolder(t);
  const open = `/proc/${child.pid}/fd`;
  for (const each of await readdir(open)) {
    const [, name] = /\/(stoa\.db(?:-wal)?) \(deleted\)$/.exec(await readlink(`${open}/${each}`)) ?? [];
    if (name === undefined) continue;
    await copyFile(`${open}/${each}`, join(saved, name));
    await chmod(join(saved, name), 0o600);
  }
  assert.equal(await stop('SIGTERM'), 0);
  const again = await startProcess(t, { DATA_DIR: saved, SEALING_KEY });
  assert.equal((await call(again.url, 'GET', `/api/content/${id}`, { token })).status, 200);
});

async function serviceWithItem(t: TestContext) {
  const { DATA_DIR = '' } = await sqlite.settings(t);
  const service = await startProcess(t, { DATA_DIR, SEALING_KEY });
  const { url, stdout } = service;
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token);
  const write = () => call(url, 'PUT', `/api/content/${id}`, { token, body: { title: 'Changed' } });
  /** What is stored can be read. */
  const assertRefuses = async () => {
    for (const ask of [() => call(url, 'GET', '/readyz'), write]) {
      const answer = await ask();
      assertFailure(answer, 503, 'unavailable');
      assert.deepEqual(answer.body.data.details, ['storage_read_only']);
    }
    await until(() => /stoa\.db(-wal)? was removed or replaced/.test(stdout()), 'the log says why');
    assert.equal((await call(url, 'GET', `/api/content/${id}`)).body.data.version, 1);
  };
  return { ...service, DATA_DIR, token, id, write, assertRefuses };
}

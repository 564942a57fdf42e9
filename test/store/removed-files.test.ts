// Needs: processes.

import assert from 'node:assert/strict';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

for (const names of [['stoa.db-wal'], ['stoa.db', 'stoa.db-shm', 'stoa.db-wal']])
  it(`While ${names.join(', ')} is moved away from under the service no write is answered with 200, and all goes on when it is back`, async (t) => {
    const { DATA_DIR = '' } = await sqlite.settings(t);
    const elsewhere = await temporaryFolder(t);
    const service = await startProcess(t, { DATA_DIR });
    const { url } = service;
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token);
    const moveAll = (from: string, to: string) =>
      Promise.all(names.map((name) => rename(join(from, name), join(to, name))));
    await moveAll(DATA_DIR, elsewhere);
    const write = () => call(url, 'PUT', `/api/content/${id}`, { token, body: { title: 'Changed' } });
    for (const ask of [write, () => call(url, 'GET', '/readyz'), write]) {
      const answer = await ask();
      assertFailure(answer, 503, 'unavailable');
      assert.deepEqual(answer.body.data.details, ['storage_read_only']);
    }
    assert.match(service.stdout(), /stoa\.db(-wal)? was removed or replaced/);
    const { body } = await call(url, 'GET', `/api/content/${id}`);
    assert.equal(body.data.version, 1, 'what is stored can be read');
    assert.deepEqual(
      (await readdir(DATA_DIR)).filter((name) => names.includes(name)),
      [],
      'nothing is made in its place',
    );
    await moveAll(elsewhere, DATA_DIR);
    await until(async () => (await call(url, 'GET', '/readyz')).status === 200, 'the service is ready again');
    assert.equal((await write()).body.data.version, 2);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

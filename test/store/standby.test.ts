// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { migrateStore } from '../../src/migrate-store.ts';
import type { Database } from '../../src/settings/database-url.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { insertNote, readNote } from '../support/operations.ts';
import { execute } from '../support/postgres.ts';
import { openStoreOn } from '../support/store.ts';
import { until } from '../support/until.ts';

it('A standby is refused at start and in service, and is used without a restart once promoted', async (t) => {
  const cluster = await startCluster();
  const database: Database = { kind: 'postgres', url: cluster.url, poolSize: 4 };
  const store = await openStoreOn(t, database);
  t.after(() => cluster.remove());
  await store.write(insertNote, 'before');

  const { asPrimary } = await restartAsStandby(cluster);

  await assert.rejects(migrateStore(database), {
    message: 'The database is a standby; Stoa works on the primary.',
  });
  await assert.rejects(store.read(readNote, 'before'), { code: 503 });
  await assert.rejects(store.write(insertNote, 'refused'), { code: 503 });
  await assert.rejects(store.ping(), { code: 503 });

  await execute(cluster.url, 'SELECT pg_promote()');
  await asPrimary;
  assert.equal(await store.read(readNote, 'before'), '0');
  await store.write(insertNote, 'after');
  assert.equal(await store.read(readNote, 'refused'), null);
});

/** Resolves once the standby answers, with the promise that it is a primary again. */
async function restartAsStandby({ url, stop, start }: Cluster): Promise<{ asPrimary: Promise<void> }> {
  const [settings] = await execute<{ data_directory: string }>(url, 'SHOW data_directory');
  assert.ok(settings);
  await stop();
  const signal = join(settings.data_directory, 'standby.signal');
  await writeFile(signal, '');
  // The server runs as another user when we are root.
  await chmod(signal, 0o666);
  const asPrimary = start();
  const answers = () =>
    execute(url, 'SELECT 1').then(
      () => true,
      () => false,
    );
  await until(answers, 'the standby answers');
  return { asPrimary };
}

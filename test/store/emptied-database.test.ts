// Needs: PostgreSQL.

import { it } from 'node:test';
import { call } from '../support/client.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

it('After its database was dropped and made again empty a service is not ready and logs why', async (t) => {
  const database = await sameDatabase(t, postgres);
  const { url, log } = await startService(t, database);
  const { DATABASE_URL = '' } = await database.settings(t);
  await emptyDatabase(DATABASE_URL);

  const ready = () => call(url, 'GET', '/readyz');
  // The first answer may be from before the connections ended.
  await until(async () => (await ready()).status === 503, 'the service is not ready');
  assertFailure(await ready(), 503, 'unavailable');
  await until(() => log.some((line) => /\\"database_id\\" does not exist/.test(line)), 'the log says why');
});

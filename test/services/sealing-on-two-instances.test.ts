// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { temporaryFolder } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { newMigratedDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

it('Two instances with keys of their own that start at once seal under one, and the other ends', async (t) => {
  const DATABASE_URL = await newMigratedDatabase();
  const { promise: met, resolve } = Promise.withResolvers<void>();
  let come = 0;
  const starting = [0, 1].map(async () => {
    const DATA_DIR = await temporaryFolder(t);
    const engine = { name: 'PostgreSQL', settings: async () => ({ DATABASE_URL, DATA_DIR }) };
    // Both have seen that nothing is sealed and made a key, before either says which key it is.
    const before = (operation: string) => {
      if (operation !== 'sealing.keep_check') return undefined;
      come++;
      if (come === 2) resolve();
      return met;
    };
    return startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
  });
  const ended = await Promise.allSettled(starting);
  const refused = ended.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  const services = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  assert.equal(come, 2);
  assert.equal(refused.length, 1);
  assert.match(refused[0] ?? '', /is sealed under another key than that of .*sealing\.key; put the key file/);
  const [service] = services;
  assert.ok(service);
  const { token } = await newAccount(service.url);
  assert.equal((await call(service.url, 'GET', '/api/users/me', { token })).status, 200);
});

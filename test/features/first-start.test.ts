import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/open-store.ts';
import { call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { type RunningService, startService } from '../support/service.ts';

const INSTANCES = 3;

onEveryEngine('Instances that start at once on an empty database', (engine) => {
  it('agree on one key and one secret: each takes the tokens of the others', async (t) => {
    const database = await sameDatabase(t, engine);
    await migrateStore(readConfig(await database.settings(t)).database);
    // All have seen that there is no key, and then that there is no secret, before any of them makes one.
    const met = [meeting(INSTANCES), meeting(INSTANCES)];
    const startOne = () => {
      const meetings = [...met];
      const before = (operation: string) => {
        if (operation.includes('keep')) return meetings.shift()?.();
      };
      return startService(t, database, {}, { wrap: (store) => observed(store, { before }) });
    };
    const services = await Promise.all(Array.from({ length: INSTANCES }, startOne));
    await assertAgree(services);
  });
});

/** A function that resolves when it has been called so many times. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come++;
    if (come === count) resolve();
    return promise;
  };
}

async function assertAgree(services: readonly RunningService[]): Promise<void> {
  for (const { url } of services) {
    const { token, refreshToken } = await newAccount(url);
    let current = refreshToken;
    for (const other of services) {
      assert.equal((await call(other.url, 'GET', '/api/users/me', { token })).status, 200);
      const { status, body } = await refresh(other.url, current);
      assert.equal(status, 200, JSON.stringify(body));
      current = body.data.refresh_token;
    }
  }
}

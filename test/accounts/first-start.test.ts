import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { type RunningService, startService } from '../support/service.ts';

const INSTANCES = 3;

onEveryEngine('Instances that start at once on an empty database', (engine) => {
  it('Instances that start at once on an empty database agree on one signing key and one secret', async (t) => {
    const database = await sameDatabase(t, engine);
    // All have seen that nothing is sealed, then that there is no key, and then that there is no secret, before
    // any of them keeps the first.
    const met = [meeting(INSTANCES), meeting(INSTANCES), meeting(INSTANCES)];
    const starting: Promise<RunningService>[] = [];
    for (let instance = 0; instance < INSTANCES; instance++) {
      const arrived = Promise.withResolvers<void>();
      const ahead = [...met];
      const before = (operation: string) => {
        arrived.resolve();
        if (operation.includes('.keep_')) return ahead.shift()?.();
      };
      starting.push(startService(t, database, {}, { wrap: (store) => observed(store, { before }) }));
      // Opening a file of SQLite holds up this whole process, and so the one that has its lock.
      await arrived.promise;
    }
    const services = await Promise.all(starting);
    for (const { url } of services) {
      const published = await (await fetch(`${url}/.well-known/jwks.json`)).text();
      assert.equal(published.match(/"kid"/g)?.length, 1, published);
    }
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

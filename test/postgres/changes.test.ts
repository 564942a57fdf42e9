import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { endSession } from '../../src/auth/session.ts';
import { openStore } from '../../src/open-store.ts';
import { type Change, writeOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { newName } from '../support/client.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { ADA, newCaller } from '../support/store.ts';

const LISTENERS = `select pid from pg_stat_activity where datname = current_database() and query like 'LISTEN%'`;

describe('What one instance announces', { concurrency: true }, () => {
  it('reaches the others when the write is committed, and nothing when it fails', async (t) => {
    const { stores, heard } = await instances(t);
    const failing = writeOperation('test.announce_and_fail', async (db, _: null, engine) => {
      await engine.publish(db, { key: 'failed' });
      throw new Error('The test is at fault.');
    });
    await assert.rejects(stores[0].write(failing, null));
    const sessionId = await endOneOf(stores[0]);
    await until(() => heard.length > 0);
    assert.deepEqual(heard, [{ key: sessionId }]);
  });

  it('while the other was cut off is made good: it hears that anything may have changed', async (t) => {
    const { url, stores, heard } = await instances(t);
    await execute(url, `select pg_terminate_backend(pid) from (${LISTENERS}) as listeners`);
    await endOneOf(stores[0]);
    await until(() => heard.includes('anything'));
    await until(async () => (await execute(url, LISTENERS)).length === 2);
    heard.length = 0;
    const sessionId = await endOneOf(stores[0]);
    await until(() => heard.length > 0);
    assert.deepEqual(heard, [{ key: sessionId }]);
  });
});

/** Two stores on one database, and what the second hears once both listen. */
async function instances(t: TestContext) {
  const url = await newPostgresDatabase();
  const open = () => openStore({ kind: 'postgres', url, poolSize: 2 }, { notice: () => {} });
  const stores = [await open(), await open()] as const;
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const heard: Change[] = [];
  stores[1].onChange((change) => heard.push(change));
  await until(async () => heard.length > 0 && (await execute(url, LISTENERS)).length === 2);
  heard.length = 0;
  return { url, stores, heard };
}

/** Ends the session of a new account, and returns its id. */
async function endOneOf(store: Store): Promise<string> {
  const username = newName();
  const { sessionId } = await newCaller(store, { ...ADA, username, email: `${username}@example.org` });
  await store.write(endSession, { sessionId, now: 0, origin: null });
  return sessionId;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('It did not happen within five seconds.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { isUnavailable } from '../../src/domain/failure.ts';
import { endSession } from '../../src/sessions/session.ts';
import type { Announcement } from '../../src/store/announcements.ts';
import { writeOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { newName } from '../support/client.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { ADA, newCaller } from '../support/store.ts';
import { until } from '../support/until.ts';

const LISTENERS = `select pid from pg_stat_activity where datname = current_database() and query like 'LISTEN%'`;

describe('Announcements between instances', { concurrency: true }, () => {
  it('An announcement reaches the other instances when its write commits, and none follows a failure', async (t) => {
    const { stores, heard } = await instances(t);
    const failing = writeOperation('test.announce_and_fail', async (db, _: null, engine) => {
      await engine.announce(db, { topic: 'session', key: 'failed' });
      throw new Error('The test is at fault.');
    });
    await assert.rejects(stores[0].write(failing, null));
    const sessionId = await endOneOf(stores[0]);
    await until(() => heard.length > 0, 'the other instance hears of the session');
    assert.deepEqual(heard, [{ topic: 'session', key: sessionId }]);
  });

  it('An instance that was cut off hears that anything may have changed', async (t) => {
    const { url, stores, heard } = await instances(t);
    await execute(url, `select pg_terminate_backend(pid) from (${LISTENERS}) as listeners`);
    await endOneOf(stores[0]);
    await until(() => heard.includes('anything'), 'it hears that anything may have changed');
    await until(async () => (await execute(url, LISTENERS)).length === 2, 'both listen again');
    heard.length = 0;
    const sessionId = await endOneOf(stores[0]);
    await until(() => heard.length > 0, 'the other instance hears of the session');
    assert.deepEqual(heard, [{ topic: 'session', key: sessionId }]);
  });

  it('What an instance sends that is no announcement of this version counts as anything', async (t) => {
    const { url, heard } = await instances(t);
    const foreign = ['no JSON', 'null', '{"sender":"x"}', '{"sender":"x","change":{"topic":"session"}}'];
    for (const payload of foreign) await execute(url, `NOTIFY stoa_changes, '${payload}'`);
    await until(() => heard.length >= foreign.length, 'it hears of each');
    assert.deepEqual(heard, Array(foreign.length).fill('anything'));
  });

  it('A write whose commit got no answer is announced in its own process, because it may be stored', async (t) => {
    const { url, stores } = await instances(t);
    await execute(
      url,
      `CREATE TABLE cut (id INT);
      CREATE FUNCTION cut() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_terminate_backend(pg_backend_pid());
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON cut DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION cut()`,
    );
    const announceAndLose = writeOperation('test.announce_and_lose', async (db, _: null, engine) => {
      await sql`insert into cut (id) values (1)`.execute(db);
      await engine.announce(db, { topic: 'session', key: 'perhaps' });
    });
    const heard: Announcement[] = [];
    stores[0].onAnnouncement((announcement) => heard.push(announcement));
    await assert.rejects(stores[0].write(announceAndLose, null), isUnavailable);
    assert.deepEqual(heard, [{ topic: 'session', key: 'perhaps' }]);
  });
});

/** Two stores on one database, and what the second hears once both listen. */
async function instances(t: TestContext) {
  const url = await newMigratedDatabase();
  const open = () => openInstance(url, 2);
  const stores = [await open(), await open()] as const;
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const heard: Announcement[] = [];
  stores[1].onAnnouncement((announcement) => heard.push(announcement));
  await until(async () => heard.length > 0 && (await execute(url, LISTENERS)).length === 2, 'both listen');
  heard.length = 0;
  return { url, stores, heard };
}

/** Ends the session of a new account, and returns its id. */
async function endOneOf(store: Store): Promise<string> {
  const username = newName();
  const { sessionId, userId } = await newCaller(store, {
    ...ADA,
    username,
    email: `${username}@example.org`,
  });
  await store.write(endSession, { sessionId, userId, now: 0, origin: null });
  return sessionId;
}

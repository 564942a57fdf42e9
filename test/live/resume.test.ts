import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readChanges } from '../../src/services/changes/read.ts';
import { removeOldChanges } from '../../src/services/changes/remove-old.ts';
import type { Store } from '../../src/store/store.ts';
import { listen } from '../content/black-box/event-stream.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { PLACES, type Place } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { describeInTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

/** More than a service remembers, and several pages. */
const MANY = 4_500;

for (const { name, newPlace } of PLACES)
  describe(`Listeners that come back, on ${name}`, () => {
    it('A listener that missed thousands of changes gets each of them once, in order, and then what is new', async (t) => {
      const { place, url, account } = await start(t, newPlace);
      await addChanges(place, account.id, MANY);
      // The feed begins with the account.
      const listener = await listen(url, { token: account.token, after: '0.0' });
      t.after(listener.close);
      const { id } = await newItem(url, account.token);
      await listener.heard('content.created', id);
      const numbers = listener.events.map((each) => Math.trunc(Number(each.id)));
      assert.deepEqual(
        numbers,
        Array.from({ length: MANY + 2 }, (_, index) => index + 1),
      );
    });

    it('A listener that comes back after the feed removed its event gets one reset, and goes on from now', async (t) => {
      const { place, store, account, numbered, stop } = await start(t, newPlace);
      await addChanges(place, account.id, 20);
      // The service's own job may hold the lock of the removal.
      const removed = async () => {
        await store.write(removeOldChanges, { now: 0, most: 10 });
        return (await numbered()) === 10;
      };
      await until(removed, 'all changes but ten are removed');
      await stop();
      const again = await startService(t, at(place));
      const listener = await listen(again.url, { token: account.token, after: '0.0' });
      const { id } = await newItem(again.url, account.token);
      await listener.heard('content.created', id);
      assert.deepEqual(
        listener.events.map(({ name: each }) => each),
        ['reset', 'content.created'],
      );
    });

    it('One change costs one read of the feed, however many listen', async (t) => {
      let found = 0;
      const wrap = (store: Store): Store => ({
        ...observed(store, {}),
        read: async (operation, input) => {
          const output = await store.read(operation, input);
          if (operation.name === readChanges.name && Object(output).changes.length > 0) found++;
          return output;
        },
      });
      const { url, account } = await start(t, newPlace, wrap);
      const listeners = await Promise.all(Array.from({ length: 10 }, () => listen(url, account)));
      for (const { close } of listeners) t.after(close);
      found = 0;
      const { id } = await newItem(url, account.token);
      for (const listener of listeners) await listener.heard('content.created', id);
      assert.equal(found, 1);
    });
  });

onEveryEngine('Listeners that come back', (engine) =>
  describeInTurn(engine, 'to one service', (service) => {
    /** A new account. Who listens from now on hears nothing of how it was made. */
    async function newListening() {
      const { url } = service();
      const account = await newAccount(url);
      const listener = await listen(url, account);
      const { id } = await newItem(url, account.token);
      await listener.heard('content.created', id);
      listener.close();
      return account;
    }

    it('A listener whose event is not in the feed gets one reset, and goes on from now', async () => {
      const { url } = service();
      const account = await newListening();
      const first = await listen(url, account);
      const { id } = await newItem(url, account.token);
      await first.heard('content.created', id);
      first.close();
      const [known = ''] = (first.events.at(-1)?.id ?? '').split('.');
      // Of an older copy of the database, of a later time, and nothing of ours.
      for (const after of [`${known}.1`, `${Number(known) + 999}.1`, '0.1', 'x']) {
        const listener = await listen(url, { token: account.token, after });
        const fence = await newItem(url, account.token);
        await listener.heard('content.created', fence.id);
        const names = listener.events.map(({ name: each }) => each);
        assert.deepEqual(names, ['reset', 'content.created'], after);
        listener.close();
      }
    });

    it('A listener that was always there gets one reset where the feed removed what it was not told, and goes on', async (t) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      let held: number | undefined;
      const before = (operation: string) => {
        if (operation !== readChanges.name || held === undefined) return;
        held++;
        return released;
      };
      const { url, store, sql, now, beforeOperations } = service();
      const account = await newListening();
      beforeOperations(before);
      const listener = await listen(url, account);
      t.after(listener.close);
      // A service that is closed waits for its reads.
      t.after(() => release());
      held = 0;
      await until(() => held !== 0, 'the feed is about to be read');
      await addChanges({ sql }, account.id, 6, now());
      const removed = async () => {
        await store.write(removeOldChanges, { now: 0, most: 1 });
        return (await numberedOn({ sql })) === 1;
      };
      await until(removed, 'all changes but one are removed');
      held = undefined;
      release();
      await until(() => listener.events.length > 0, 'the reset arrives');
      const { id } = await newItem(url, account.token);
      await listener.heard('content.created', id);
      assert.deepEqual(
        listener.events.map(({ name: each }) => each),
        ['reset', 'content.created'],
      );
    });

    it('A page that comes back with a ticket names the last event by its address, and its browser a newer one', async () => {
      const { url } = service();
      const account = await newListening();
      const first = await listen(url, account);
      const [, one, two] = [
        await newItem(url, account.token),
        await newItem(url, account.token),
        await newItem(url, account.token),
      ];
      assert.ok(one && two);
      await first.heard('content.created', two.id);
      first.close();
      const [begin, before, between] = first.events.map(({ id }) => id);
      const back = async (last: string, after?: string) => {
        const { body } = await call(url, 'POST', '/api/events/tickets', { token: account.token });
        const ticket = `${body.data.ticket}&last_event_id=${last}`;
        const listener = await listen(url, { ticket, ...(after !== undefined && { after }) });
        await listener.heard('content.created', two.id);
        listener.close();
        return listener.events.map(({ data }) => data.id);
      };
      assert.ok(begin !== undefined && before !== undefined && between !== undefined);
      assert.deepEqual(await back(begin), [one.id, two.id]);
      assert.deepEqual(await back(before), [two.id]);
      assert.deepEqual(await back(begin, before), [two.id]);
    });
  }),
);

async function start(
  t: TestContext,
  newPlace: (t: TestContext) => Promise<Place>,
  wrap = (store: Store) => store,
) {
  const place = await newPlace(t);
  const { url, store, stop } = await startService(t, at(place), {}, { wrap });
  const account = await newAccount(url);
  const numbered = () => numberedOn(place);
  await until(async () => (await numbered()) === 1, 'the change has its number');
  return { place, url, store, account, numbered, stop };
}

async function numberedOn({ sql }: Pick<Place, 'sql'>): Promise<number> {
  return Number((await sql('SELECT count(*) AS count FROM changes'))[0]?.count);
}

function at({ url }: Place) {
  return { name: '', settings: async () => ({ DATABASE_URL: url }) };
}

/** Changes of items that there were, after those of the feed. They are new: the service's own job removes old ones. */
async function addChanges(
  { sql }: Pick<Place, 'sql'>,
  owner: number,
  count: number,
  at = Date.now(),
): Promise<void> {
  await sql(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO changes (number, event, item_id, version, owner_id, actor_id, audience, at)
     SELECT (SELECT max(number) FROM changes) + i, 'content.updated', 1000000 + i, 2, ${owner}, ${owner}, 'all', ${at} + i
     FROM n`,
  );
}

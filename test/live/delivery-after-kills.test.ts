// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setRole } from '../../src/accounts/administer.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/open-store.ts';
import { listen, type StreamedEvent } from '../content/black-box/event-stream.ts';
import { type Delivered, startReceiver } from '../content/black-box/receiver.ts';
import { call, login, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, PATIENCE, sameDatabase } from '../support/engines.ts';
import { feedUntil } from '../support/feed.ts';
import { startProcess } from '../support/process.ts';
import { withSealingKey } from '../support/sealing.ts';
import { randomFrom } from '../support/seed.ts';
import { until } from '../support/until.ts';

/** `npm run test:crash` has 50. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 2);
const WRITERS = 8;
/** The service is killed after this many acknowledged writes of a round at the latest. */
const MOST_WRITES = 60;
/** A delivery that was under way at a kill is sent again after half a minute, and the machine may be busy. */
const PATIENCE_MS = 240_000;

onEveryEngine('Deliveries after kills', (engine) => {
  it(`A listener and a webhook get every committed change, in order per item, over ${ROUNDS} kills of the service`, async (t) => {
    const database = await (await sameDatabase(t, engine)).settings(t);
    const settings = { ...database, WEBHOOK_PRIVATE: 'on' };
    const random = randomFrom(t);
    const receiver = await startReceiver(t);
    let service = await startProcess(t, settings);
    const { database: kept } = readConfig(withSealingKey(settings));
    const store = await openStore(kept, { notice: () => {}, patience: PATIENCE });
    t.after(() => store.close());
    const { username, token } = await newAccount(service.url);
    await store.write(setRole, { account: username, role: 'admin', now: Date.now() });
    const hook = { url: receiver.url, events: ['*'] };
    assert.equal((await call(service.url, 'POST', '/api/webhooks', { token, body: hook })).status, 200);

    const heard: StreamedEvent[] = [];
    let acknowledged = 0;
    const comeBack = (as: string) => listen(service.url, { token: as, after: heard.at(-1)?.id ?? '0.0' });
    for (let round = 0; round < ROUNDS; round++) {
      const { token: writer } = await login(service.url, username);
      const listener = await comeBack(writer);
      const most = acknowledged + random() * MOST_WRITES;
      const ids = await Promise.all(Array.from({ length: WRITERS }, () => newItem(service.url, writer)));
      const { url, child } = service;
      const write = async ({ id }: { id: number }) => {
        for (let each = 0; ; each++) {
          const body = { title: `${round} ${each}` };
          const path = `/api/content/${id}`;
          const answer = await call(url, 'PUT', path, { token: writer, body }).catch(() => undefined);
          if (answer?.status !== 200) return;
          if (++acknowledged > most) child.kill('SIGKILL');
        }
      };
      await Promise.all(ids.map(write));
      await service.stop('SIGKILL');
      await until(listener.isOver, 'the stream is over');
      heard.push(...listener.events);
      service = await startProcess(t, settings);
    }

    const last = await login(service.url, username);
    const listener = await comeBack(last.token);
    const fence = await newItem(service.url, last.token);
    const feed = await feedUntil(store, 0, ({ item_id }) => item_id === fence.id);
    await listener.heard('content.created', fence.id);
    heard.push(...listener.events);
    listener.close();
    const ofItems = feed.filter(({ item_id }) => item_id !== null);
    assert.ok(ofItems.length > acknowledged, 'each acknowledged change, and each item that was made');
    assert.deepEqual(
      heard.map(({ id, name, data }) => [Math.trunc(Number(id)), name, data.id]),
      feed.map(({ number, event, item_id, account_id }) => [number, event, item_id ?? account_id]),
    );

    const begun = Date.now();
    const wanted = new Map(Map.groupBy(ofItems, ({ item_id }) => Number(item_id)));
    const isComplete = () => firstDeliveries(receiver.delivered).length >= ofItems.length;
    while (!isComplete() && Date.now() - begun < PATIENCE_MS) await pause(50);
    const delivered = Map.groupBy(firstDeliveries(receiver.delivered), ({ id }) => id);
    for (const [id, changes] of wanted)
      assert.deepEqual(
        delivered.get(id)?.map(({ version }) => version),
        changes.map(({ version }) => version),
        `item ${id}`,
      );
    const repeated = receiver.delivered.length - new Set(receiver.delivered.map(messageId)).size;
    t.diagnostic(`${feed.length} changes, ${acknowledged} acknowledged, ${repeated} deliveries repeated`);
    assert.equal(await service.stop('SIGTERM'), 0);
  });
});

interface Message {
  readonly id: number;
  readonly version: number;
}

/** What each message about an item told, in the order in which the messages came for the first time. */
function firstDeliveries(delivered: readonly Delivered[]): Message[] {
  const seen = new Set<string>();
  return delivered.flatMap((each) => {
    const { type, data } = JSON.parse(each.body);
    if (seen.has(messageId(each)) || !String(type).startsWith('content.')) return [];
    seen.add(messageId(each));
    return [data];
  });
}

function messageId({ headers }: Delivered): string {
  return String(headers['webhook-id']);
}

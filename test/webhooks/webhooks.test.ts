import assert from 'node:assert/strict';
import { beforeEach, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '../../src/config.ts';
import { JobRunner } from '../../src/domain/jobs.ts';
import { removeOldChanges } from '../../src/services/changes/remove-old.ts';
import { readOperation } from '../../src/store/operation.ts';
import { claimDeliveries, LEASE_MS, webhooksBehind } from '../../src/webhooks/claim.ts';
import { fillWebhook } from '../../src/webhooks/fill.ts';
import { webhookJob } from '../../src/webhooks/job.ts';
import { ATTEMPT_MS } from '../../src/webhooks/send.ts';
import { settleDelivery } from '../../src/webhooks/settle.ts';
import { type Account, call, login, newAccount, newItem } from '../support/client.ts';
import { during, outcomeOf } from '../support/during.ts';
import { onEveryEngine, onOneEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { scrape } from '../support/metrics.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import { execOn } from '../support/place.ts';
import { startReceiver } from '../support/receiver.ts';
import { type RunningService, startService } from '../support/service.ts';
import { openStoreOn } from '../support/store.ts';
import { describeInTurn, describeOnService, type InTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

const SETTINGS = { WEBHOOK_PRIVATE: 'on', SMTP_URL: 'log', PUBLIC_URL: 'https://stoa.example' };
const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ITEMS = ['content.created', 'content.updated'];

const readSecrets = readOperation('test.read_webhook_secrets', (db, id: number) =>
  db.selectFrom('webhook_secrets').selectAll().where('webhook_id', '=', id).execute(),
);
/** Of the deliveries that no instance sends now. */
const readAttempts = readOperation('test.read_webhook_attempts', async (db, id: number) => {
  const ended = db.selectFrom('webhook_deliveries').select('attempts').where('claimed_until', 'is', null);
  return (await ended.where('webhook_id', '=', id).execute()).map(({ attempts }) => attempts);
});
const readDeliveries = readOperation('test.read_webhook_deliveries', (db, id: number) =>
  db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', id).orderBy('id').execute(),
);
const readReaders = readOperation('test.read_feed_readers', async (db, _: null) =>
  (await db.selectFrom('change_readers').select('name').execute()).map(({ name }) => name),
);
const readMails = readOperation('test.read_webhook_mails', (db, _: null) =>
  db.selectFrom('mails').selectAll().where('template', '=', 'webhook_paused').execute(),
);

async function newWebhook(url: string, { token }: Pick<Account, 'token'>, to: string, events = ['*']) {
  const { status, body } = await call(url, 'POST', '/api/webhooks', { token, body: { url: to, events } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function change(url: string, token: string, id: number, title: string): Promise<void> {
  const { status } = await call(url, 'PUT', `/api/content/${id}`, { token, body: { title } });
  assert.equal(status, 200);
}

it('An attempt to deliver ends before its claim, so that no two attempts of a delivery overlap', () => {
  assert.ok(ATTEMPT_MS < LEASE_MS);
});

onEveryEngine('Webhooks', (engine) => {
  describeOnService(
    engine,
    'that reach the machine itself',
    (service) => {
      it('The library of Standard Webhooks accepts what is sent, by the new secret and by the one before', async (t) => {
        const { url, store } = service();
        const [admin, receiver] = [await newWithRole(service(), 'admin'), await startReceiver(t)];
        const { id, secret, ...shown } = await newWebhook(url, admin, receiver.url, ['content.created']);
        assert.deepEqual([shown.url, shown.events, shown.paused], [receiver.url, ['content.created'], false]);
        const path = `/api/webhooks/${id}`;
        const again = await call(url, 'GET', path, { token: admin.token });
        assert.ok(!JSON.stringify(again.body).includes('whsec_'));
        for (const { secret_sealed } of await store.read(readSecrets, id))
          assert.match(secret_sealed, /^sealed\./);

        const replaced = await call(url, 'POST', `${path}/secret`, { token: admin.token });
        assert.notEqual(replaced.body.data.secret, secret);
        const item = await newItem(url, admin.token);
        const own = () => receiver.received.find(({ body }) => JSON.parse(body).data.id === item.id);
        await until(() => own() !== undefined, 'the message comes');
        const message = own();
        assert.ok(message);
        for (const each of [secret, replaced.body.data.secret]) {
          const verified = new Webhook(each).verify(message.body, message.headers as Record<string, string>);
          const { type, data } = verified as { type: string; data: object };
          const told = { id: item.id, version: 1, by: { id: admin.id } };
          assert.deepEqual([type, data], ['content.created', told]);
        }
        assert.ok(message.body.length < 20_480);
      });

      it('Of the secrets that were replaced, only the last one signs beside the new one', async () => {
        const { url, store } = service();
        const admin = await newWithRole(service(), 'admin');
        const { id } = await newWebhook(url, admin, 'http://127.0.0.1:9');
        const secrets = () => store.read(readSecrets, id);
        const replace = () => call(url, 'POST', `/api/webhooks/${id}/secret`, { token: admin.token });
        assert.equal((await replace()).status, 200);
        const [last] = (await secrets()).filter(({ ends_at }) => ends_at === null);
        assert.equal((await replace()).status, 200);
        const left = await secrets();
        assert.equal(left.length, 2);
        assert.ok(left.some((each) => each.id === last?.id && each.ends_at !== null));
      });

      it('A webhook that is deleted no longer reads the feed, so that nothing is kept for it', async () => {
        const { url, store } = service();
        const { token } = await newWithRole(service(), 'admin');
        const { id } = await newWebhook(url, { token }, 'http://127.0.0.1:9');
        const isReading = async () => (await store.read(readReaders, null)).includes(`webhook ${id}`);
        assert.equal(await isReading(), true);
        assert.equal((await call(url, 'DELETE', `/api/webhooks/${id}`, { token })).status, 200);
        // On SQLite, all reads of one turn of the event loop see one state.
        await pause(1);
        assert.equal(await isReading(), false);
      });

      it('A webhook that an admin paused stays so where its endpoint answers a test with 410', async (t) => {
        const { url } = service();
        const { token } = await newWithRole(service(), 'admin');
        const gone = await startReceiver(t, (response) => response.writeHead(410).end());
        const path = `/api/webhooks/${(await newWebhook(url, { token }, gone.url, ITEMS)).id}`;
        await call(url, 'PUT', path, { token, body: { paused: true } });
        await call(url, 'POST', `${path}/test`, { token });
        const log = async () => (await call(url, 'GET', `${path}/deliveries`, { token })).body.data.items;
        await until(async () => (await log())[0].status === 'failed', 'the test fails');
        await pause(1);
        assert.equal((await call(url, 'GET', path, { token })).body.data.paused_because, 'admin');
        const events = await call(url, 'GET', '/api/audit?event=webhook_paused&per_page=100', { token });
        const own = ({ detail }: { detail: { webhook: string } }) => path.endsWith(`/${detail.webhook}`);
        assert.deepEqual(events.body.data.items.filter(own), []);
      });

      it('A webhook gets the events that it asked for, and each change of an item once and in order', async (t) => {
        const { url } = service();
        const [admin, receiver] = [await newWithRole(service(), 'admin'), await startReceiver(t)];
        await newWebhook(url, admin, receiver.url, ['content.updated']);
        const { id } = await newItem(url, admin.token);
        for (let each = 0; each < 5; each++) await change(url, admin.token, id, `title ${each}`);
        const own = () => receiver.received.filter(({ body }) => JSON.parse(body).data.id === id);
        await until(() => own().length >= 5, 'five messages come');
        const versions = own().map(({ body }) => JSON.parse(body).data.version);
        assert.deepEqual(versions, [2, 3, 4, 5, 6]);
        assert.equal(new Set(own().map((each) => each.id)).size, 5);
      });

      it('An endpoint that hangs holds up no other', async (t) => {
        const { url } = service();
        const admin = await newWithRole(service(), 'admin');
        let [underWay, most] = [0, 0];
        const hanging = await startReceiver(t, (response) => {
          most = Math.max(most, ++underWay);
          response.on('close', () => underWay--);
        });
        const receiver = await startReceiver(t);
        const { id } = await newWebhook(url, admin, hanging.url, ['user.created']);
        await newWebhook(url, admin, receiver.url, ['content.created']);
        // More than are sent at once.
        for (let each = 0; each < 6; each++) await newAccount(url);
        await hanging.until(4);
        const before = receiver.received.length;
        await newItem(url, admin.token);
        await receiver.until(before + 1);
        // On a slow machine the first one is given up before the fourth is sent.
        assert.ok(most <= 4, `${most}`);
        const { body } = await call(url, 'GET', `/api/webhooks/${id}/deliveries?per_page=100`, {
          token: admin.token,
        });
        assert.ok(body.data.items.every(({ status }: { status: string }) => status === 'waiting'));
        await call(url, 'DELETE', `/api/webhooks/${id}`, { token: admin.token });
      });

      it('A redirect is a failure and not followed, and 410 pauses the webhook and tells the admins', async (t) => {
        const { url, store } = service();
        const admin = await newWithRole(service(), 'admin');
        const elsewhere = await startReceiver(t);
        const redirecting = await startReceiver(t, (response) =>
          response.writeHead(307, { location: elsewhere.url }).end(),
        );
        const path = `/api/webhooks/${(await newWebhook(url, admin, redirecting.url, ITEMS)).id}`;
        const test = await call(url, 'POST', `${path}/test`, { token: admin.token });
        assert.equal(test.body.data.status, 'waiting');
        const first = async () => {
          const list = await call(url, 'GET', `${path}/deliveries?per_page=100`, { token: admin.token });
          return list.body.data.items.find(({ id }: { id: number }) => id === test.body.data.id);
        };
        await until(async () => (await first()).status === 'failed', 'the delivery fails');
        assert.equal((await first()).status_code, 307);
        assert.equal(elsewhere.received.length, 0);

        const gone = await startReceiver(t, (response) => response.writeHead(410).end());
        const moved = { token: admin.token, body: { url: gone.url } };
        assert.equal((await call(url, 'PUT', path, moved)).status, 200);
        await newItem(url, admin.token);
        const isPaused = async () => {
          const { body } = await call(url, 'GET', path, { token: admin.token });
          return body.data.paused_because === 'gone';
        };
        await until(isPaused, 'the webhook is paused');
        const told = () => service().log.some((line) => line.includes('the endpoint answered 410'));
        await until(
          async () => told() || (await store.read(readMails, null)).length > 0,
          'the admins are told',
        );
      });

      it('A delivery that was sent again has the same id', async (t) => {
        const { url } = service();
        const [admin, receiver] = [await newWithRole(service(), 'admin'), await startReceiver(t)];
        const path = `/api/webhooks/${(await newWebhook(url, admin, receiver.url, ['content.restored'])).id}`;
        const { body } = await call(url, 'POST', `${path}/test`, { token: admin.token });
        await receiver.until(1);
        const { id } = body.data;
        const done = async () => {
          const list = await call(url, 'GET', `${path}/deliveries`, { token: admin.token });
          return list.body.data.items[0].status === 'delivered';
        };
        await until(done, 'the message is delivered');
        const again = await call(url, 'POST', `${path}/deliveries/${id}/redeliver`, { token: admin.token });
        assert.deepEqual([again.status, again.body.data.status], [200, 'waiting']);
        const [first, second] = await receiver.until(2);
        assert.equal(second?.id, first?.id);
        assert.equal(second?.id, body.data.message_id);
        const missing = `${path}/deliveries/999999/redeliver`;
        assertFailure(await call(url, 'POST', missing, { token: admin.token }), 404, 'not_found');
      });
    },
    SETTINGS,
  );

  describeWithoutOthers(engine, 'that run without others', (service) => {
    it('A test and a delivery that an admin sends again do not wait for Retry-After', async (t) => {
      // The clock of the service stands still, so what waits for a later time is never sent.
      const { url } = service();
      const { token } = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t, (response) =>
        response.writeHead(429, { 'retry-after': '600' }).end(),
      );
      const path = `/api/webhooks/${(await newWebhook(url, { token }, receiver.url, ITEMS)).id}`;
      await newItem(url, token);
      const settled = async (count: number) => {
        const items = async () => (await call(url, 'GET', `${path}/deliveries`, { token })).body.data.items;
        const isHeld = ({ status_code }: { status_code?: number }) => status_code === 429;
        await until(
          async () => (await items()).filter(isHeld).length === count,
          'the endpoint asked to wait',
        );
        return items();
      };
      const [{ id }] = await settled(1);
      assert.equal((await call(url, 'POST', `${path}/test`, { token })).status, 200);
      assert.equal((await receiver.until(2))[1]?.event, 'webhook.test');
      await settled(2);
      assert.equal((await call(url, 'POST', `${path}/deliveries/${id}/redeliver`, { token })).status, 200);
      const received = await receiver.until(3);
      assert.equal(received[2]?.id, received[0]?.id);
    });

    it('A webhook that is held back is paused unless a delivery has succeeded within three days', async (t) => {
      const { url, store, exec, now } = service();
      const admin = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t, (response) => response.writeHead(500).end());
      const because: unknown[] = [];
      for (const deliveredAt of [now() - DAY, now() - 3 * DAY]) {
        const { id } = await newWebhook(url, admin, receiver.url, ['content.created']);
        const row = (item: string, status: string, triedAt: number, next: number | null) =>
          `('msg_${item} ${id}', 'item ${item}', ${id}, 'content.created', '{}', ${triedAt}, '${status}', 1, ${triedAt}, ${triedAt}, ${next})`;
        await exec(`INSERT INTO webhook_deliveries (message_id, subject, webhook_id, event, payload, made_at, status, attempts,
           first_attempt_at, last_attempt_at, next_attempt_at)
         VALUES ${row('a', 'waiting', now() - 3 * DAY, now() + MINUTE)}, ${row('b', 'delivered', deliveredAt, null)}`);
        await newItem(url, admin.token);
        const allSettled = async () => (await store.read(readAttempts, id)).filter(Boolean).length === 3;
        await until(allSettled, 'the attempt fails');
        because.push((await call(url, 'GET', `/api/webhooks/${id}`, admin)).body.data.paused_because);
      }
      assert.deepEqual(because, [undefined, 'failing']);
    });

    it('A late answer of an address that a webhook no longer has neither pauses it nor holds it back, and its message is sent at once', async (t) => {
      const { url } = service();
      const { token } = await newWithRole(service(), 'admin');
      const failures = [
        [410, {}],
        [429, { 'retry-after': '600' }],
        [500, {}],
      ] as const;
      for (const [code, headers] of failures) {
        const { promise: isMoved, resolve: moved } = Promise.withResolvers<void>();
        const former = await startReceiver(
          t,
          (response) => void isMoved.then(() => response.writeHead(code, headers).end()),
        );
        const next = await startReceiver(t);
        const path = `/api/webhooks/${(await newWebhook(url, { token }, former.url, ITEMS)).id}`;
        await newItem(url, token);
        const [late] = await former.until(1);
        assert.equal((await call(url, 'PUT', path, { token, body: { url: next.url } })).status, 200);
        moved();
        const log = async () => (await call(url, 'GET', `${path}/deliveries`, { token })).body.data.items;
        await until(async () => (await log())[0].status_code !== undefined, 'the late answer is settled');
        assert.equal((await call(url, 'GET', path, { token })).body.data.paused, false, `after ${code}`);
        // The clock of the service stands still, so what waits for a later time is never sent.
        await until(async () => (await log())[0].status === 'delivered', `it is sent again after ${code}`);
        assert.equal(next.received[0]?.id, late?.id);
      }
    });

    it('A webhook that goes on sends at once what waits, also where its endpoint asked to wait', async (t) => {
      // The clock of the service stands still, so what waits for a later time is never sent.
      const { url } = service();
      const { token } = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t, (response, _, index) =>
        (index === 0 ? response.writeHead(429, { 'retry-after': '600' }) : response).end(),
      );
      const path = `/api/webhooks/${(await newWebhook(url, { token }, receiver.url, ITEMS)).id}`;
      await newItem(url, token);
      const read = async () => (await call(url, 'GET', path, { token })).body.data;
      await until(async () => (await read()).held_until !== null, 'the endpoint asked to wait');
      for (const paused of [true, false])
        assert.equal((await call(url, 'PUT', path, { token, body: { paused } })).status, 200);
      const [first, second] = await receiver.until(2);
      assert.equal(second?.id, first?.id);
    });

    it('A late answer to an attempt changes nothing once another attempt has begun', async () => {
      // Another instance makes the second attempt now.
      const { delivery, settle } = await newClaimed(service(), { attempts: 2, first: service().now() });
      const statuses = [];
      for (const attempt of [1, 2]) {
        await settle(attempt, 200);
        statuses.push((await delivery())?.status);
      }
      assert.deepEqual(statuses, ['waiting', 'delivered']);
    });

    it('The last attempt of a delivery is three days after the first, however long the pause would be', async () => {
      const now = service().now();
      const first = now - 3 * DAY + MINUTE;
      const { delivery, settle } = await newClaimed(service(), { attempts: 20, first });
      await settle(20, 500);
      assert.equal((await delivery())?.next_attempt_at, now + MINUTE);
    });

    it('What a killed instance had claimed is tried for three more days after the webhook goes on, and can be sent again', async (t) => {
      const { url, exec } = service();
      const now = service().now();
      const { token } = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t, (response) => response.writeHead(500).end());
      const { id } = await newWebhook(url, { token }, receiver.url, ITEMS);
      const path = `/api/webhooks/${id}`;
      await call(url, 'PUT', path, { token, body: { paused: true } });
      const old = now - 4 * DAY;
      const values = `${id}, 'content.created', '{"type":"content.created"}', ${old}, 'waiting', 1, ${old}, ${old + 30_000}`;
      await exec(`INSERT INTO webhook_deliveries (message_id, subject, webhook_id, event, payload, made_at, status, attempts,
         first_attempt_at, next_attempt_at, claimed_until)
       VALUES ('msg_a', 'item 1', ${values}, ${old + 30_000}), ('msg_b', 'item 2', ${values}, ${now + 30_000})`);
      const log = async () => (await call(url, 'GET', `${path}/deliveries`, { token })).body.data.items;
      const [claimed, lost] = await log();
      const again = (each: { id: number }) =>
        call(url, 'POST', `${path}/deliveries/${each.id}/redeliver`, { token });
      assert.deepEqual([(await again(lost)).body.data.attempts, claimed.attempts], [0, 1]);
      assert.equal((await again(claimed)).body.data.attempts, 1, 'it is sent now');
      const { body } = await call(url, 'GET', '/api/audit?event=webhook_redelivered', { token });
      const details = body.data.items.map(({ detail }: { detail: Record<string, string> }) => detail);
      const own = details.filter(({ webhook }: Record<string, string>) => webhook === String(id));
      assert.deepEqual(own, [{ webhook: String(id), delivery: String(lost.id) }]);

      await exec(
        `UPDATE webhook_deliveries SET first_attempt_at = ${old}, claimed_until = ${now + 365 * DAY}`,
      );
      await call(url, 'PUT', path, { token, body: { paused: false } });
      await until(
        async () => (await log()).every((each: { status_code?: number }) => each.status_code === 500),
        'both fail',
      );
      assert.equal((await call(url, 'GET', path, { token })).body.data.paused, false);
    });

    it('A webhook goes on at once after a clock that was ahead, and claims of that clock or of the past hold up nothing', async (t) => {
      const { url, exec } = service();
      const { token } = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t);
      const { id } = await newWebhook(url, { token }, receiver.url, ITEMS);
      const now = service().now();
      const ahead = now + 365 * DAY;
      // Of each kind more than are sent at once.
      const row = (item: number) => {
        const claimed = item > 5 ? now - 1 : ahead;
        return `('msg_${item}', 'item ${item}', ${id}, 'content.created', '{"type":"content.created"}', ${ahead}, 'waiting', 1, ${claimed}, ${claimed})`;
      };
      await exec(`UPDATE webhooks SET not_before = ${ahead};
       INSERT INTO webhook_deliveries (message_id, subject, webhook_id, event, payload, made_at, status, attempts,
         next_attempt_at, claimed_until)
       VALUES ${Array.from({ length: 10 }, (_, item) => row(item + 1)).join()}`);
      await receiver.until(10);
      const waiting = async () =>
        (await call(url, 'GET', `/api/webhooks/${id}/deliveries`, { token })).body.data.items;
      await until(
        async () => (await waiting()).every((each: { status: string }) => each.status === 'delivered'),
        'all are delivered',
      );
      assert.equal(receiver.received.length, 10);
    });

    it('A webhook reads on without a pause through changes that it does not want', async (t) => {
      const { sealing } = service();
      const { settings, store } = await newFeed(t, 1_000);
      await execOn(settings, `UPDATE webhooks SET events = '["user.removed"]'`);
      const job = webhookJob({
        ...{ store, sealing, sendsMail: false, tracing: undefined, clock: () => NOW },
        reach: { isPrivateAllowed: false },
        attempts: { delivered: 0, failed: 0 },
        log: { warn: () => assert.fail('Nothing is sent.') },
      });
      // As the runner does: while a run says that more waits, the next one follows.
      while ((await job.run(t.signal)) === true);
      assert.deepEqual(await store.read(webhooksBehind, null), []);
    });

    it('A failed delivery is tried again with the same id and a new time, after Retry-After, and before later changes of its item', async (t) => {
      const { url, now, passTime } = service();
      const begun = now();
      const admin = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t, (response, _, index) => {
        if (index === 0) response.writeHead(503).end();
        else if (index === 1) response.writeHead(429, { 'retry-after': '600' }).end();
        else response.end();
      });
      const { id: webhook } = await newWebhook(url, admin, receiver.url, ITEMS);
      const { id } = await newItem(url, admin.token);
      await change(url, admin.token, id, 'another title');
      const deliveries = async () => {
        const { token } = await login(url, admin.username);
        const list = await call(url, 'GET', `/api/webhooks/${webhook}/deliveries`, { token });
        return list.body.data.items.toReversed();
      };
      const settled = async (code: number) => (await deliveries())[0]?.status_code === code;
      await until(() => settled(503), 'the first attempt fails');
      const [first] = await deliveries();
      const next = Date.parse(first.next_attempt_at) - begun;
      assert.ok(next >= 2_500 && next <= 5_000, String(next));
      passTime(5_000);
      await until(() => settled(429), 'the second attempt fails');
      assert.equal(Date.parse((await deliveries())[0].next_attempt_at), begun + 605_000);
      passTime(590_000);
      // Another item waits for Retry-After too, which is about the endpoint.
      const { token } = await login(url, admin.username);
      await newItem(url, token);
      await until(async () => (await deliveries()).length === 3, 'the other item is in the log');
      assert.equal(receiver.received.length, 2);
      passTime(10_000);
      const received = await receiver.until(5);
      const ofItem = received.filter(({ body }) => JSON.parse(body).data.id === id);
      const events = ofItem.map(({ event }) => event);
      assert.deepEqual(events, [...Array(3).fill('content.created'), 'content.updated']);
      const attempts = ofItem.slice(0, 3);
      assert.equal(new Set(attempts.map((each) => each.id)).size, 1);
      const times = attempts.map((each) => Number(each.headers['webhook-timestamp']) - begun / 1_000);
      assert.deepEqual(times, [0, 5, 605]);
    });

    it('A webhook says until when its endpoint holds it back, and nothing once that time has come', async (t) => {
      const { url, now, passTime } = service();
      const begun = now();
      const { token, username } = await newWithRole(service(), 'admin');
      let held = '600';
      const receiver = await startReceiver(t, (response) =>
        response.writeHead(429, { 'retry-after': held }).end(),
      );
      const { id, held_until } = await newWebhook(url, { token }, receiver.url, ITEMS);
      assert.equal(held_until, null);
      const read = async (path: string, token: string) => (await call(url, 'GET', path, { token })).body.data;
      const path = `/api/webhooks/${id}`;
      await newItem(url, token);
      await until(async () => (await read(path, token)).held_until !== null, 'the endpoint asked to wait');
      const [listed] = (await read('/api/webhooks', token)).items;
      const at = new Date(begun + 600_000).toISOString();
      assert.deepEqual([(await read(path, token)).held_until, listed.held_until], [at, at]);
      held = '0';
      passTime(600_000);
      const later = await login(url, username);
      assert.equal((await read(path, later.token)).held_until, null);
    });

    it('A webhook that fails for three days is paused, its admins are told by mail, and nothing is lost when it goes on', async (t) => {
      const { url, store, log: lines, passTime } = service();
      const before = lines.length;
      const admin = await newWithRole(service(), 'admin');
      let isUp = false;
      const receiver = await startReceiver(t, (response) => response.writeHead(isUp ? 204 : 500).end());
      const { id } = await newWebhook(url, admin, receiver.url, ['content.created']);
      const path = `/api/webhooks/${id}`;
      await newItem(url, admin.token);
      await receiver.until(1);
      const log = async () => {
        const { token } = await login(url, admin.username);
        return (await call(url, 'GET', `${path}/deliveries`, { token })).body.data.items;
      };
      await until(async () => (await log())[0]?.status_code === 500, 'the first attempt fails');
      for (const attempts of [2, 3, 4]) {
        passTime(0.9 * DAY);
        const isTried = async () => (await store.read(readAttempts, id)).includes(attempts);
        await until(isTried, 'it is tried again');
      }
      passTime(0.3 * DAY);
      const { token } = await login(url, admin.username);
      const read = async () => (await call(url, 'GET', path, { token })).body.data;
      await until(async () => (await read()).paused_because === 'failing', 'the webhook is paused');
      const isTold = (line: string) => line.includes('a delivery failed for three days');
      const told = () => lines.slice(before).some(isTold);
      await until(
        async () => told() || (await store.read(readMails, null)).length > 0,
        'the admins are told',
      );
      const count = receiver.received.length;
      await newItem(url, token);
      // What waits is due by then. Only the test is sent.
      passTime(2 * DAY);
      isUp = true;
      const { token: later } = await login(url, admin.username);
      await call(url, 'POST', `${path}/test`, { token: later });
      const [sent] = (await receiver.until(count + 1)).slice(count);
      assert.equal(sent?.event, 'webhook.test');
      const resumed = await call(url, 'PUT', path, { token: later, body: { paused: false } });
      assert.deepEqual([resumed.status, resumed.body.data.paused], [200, false]);
      const after = (await receiver.until(count + 3)).slice(count + 1);
      assert.ok(after.some((each) => each.id === receiver.received[0]?.id));
      await until(
        async () => (await log()).every(({ status }: { status: string }) => status === 'delivered'),
        'all is delivered',
      );
    });

    it('A webhook whose endpoint holds it back for a day after each attempt is paused after three days', async (t) => {
      const { url, now, passTime } = service();
      const begun = now();
      const admin = await newWithRole(service(), 'admin');
      const receiver = await startReceiver(t, (response) =>
        response.writeHead(429, { 'retry-after': '86400' }).end(),
      );
      const { id } = await newWebhook(url, admin, receiver.url, ['content.created']);
      for (let count = 0; count < 20; count++) await newItem(url, admin.token);
      const seen = [];
      for (let day = 0; day <= 3; day++) {
        if (day > 0) passTime(DAY);
        const { token } = await login(url, admin.username);
        const read = async () => (await call(url, 'GET', `/api/webhooks/${id}`, { token })).body.data;
        const next = new Date(begun + (day + 1) * DAY).toISOString();
        await until(async () => (await read()).held_until === next, 'the endpoint holds it back');
        seen.push((await read()).paused_because);
      }
      assert.deepEqual(seen, [undefined, undefined, undefined, 'failing']);
    });

    it('A message that no secret can sign is not sent and is tried again with the reason in the log, and a new secret signs at once', async (t) => {
      const { url, now, passTime, exec } = service();
      const begun = now();
      const [admin, receiver] = [await newWithRole(service(), 'admin'), await startReceiver(t)];
      const path = `/api/webhooks/${(await newWebhook(url, admin, receiver.url, ITEMS)).id}`;
      // As after the loss of the sealing key.
      await exec("UPDATE webhook_secrets SET secret_sealed = 'sealed.1.AAAA'");
      await newItem(url, admin.token);
      const log = async () =>
        (await call(url, 'GET', `${path}/deliveries`, { token: admin.token })).body.data.items;
      await until(async () => (await log())[0]?.error !== undefined, 'the attempt is settled');
      const [{ error, status, attempts, next_attempt_at }] = await log();
      assert.deepEqual([error, status, attempts], ['no_secret', 'waiting', 1]);
      assert.ok(Date.parse(next_attempt_at) <= begun + 5_000, 'not the end of the claim');
      assert.equal(receiver.received.length, 0);

      const { body } = await call(url, 'POST', `${path}/secret`, { token: admin.token });
      passTime(5_000);
      const [message] = await receiver.until(1);
      assert.ok(message);
      const id = String(message.headers['webhook-id']);
      const timestamp = new Date(Number(message.headers['webhook-timestamp']) * 1_000);
      const signature = new Webhook(body.data.secret).sign(id, timestamp, message.body);
      assert.equal(message.headers['webhook-signature'], signature);
    });

    it('A secret that was replaced signs for 24 hours more, and then no longer', async (t) => {
      const { url, passTime } = service();
      const [admin, receiver] = [await newWithRole(service(), 'admin'), await startReceiver(t)];
      const path = `/api/webhooks/${(await newWebhook(url, admin, receiver.url, ITEMS)).id}`;
      await call(url, 'POST', `${path}/secret`, { token: admin.token });
      const signatures = [];
      for (const time of [DAY - MINUTE, MINUTE]) {
        passTime(time);
        const { token } = await login(url, admin.username);
        await call(url, 'POST', `${path}/test`, { token });
        const sent = (await receiver.until(signatures.length + 1)).at(-1);
        signatures.push(String(sent?.headers['webhook-signature']).split(' ').length);
      }
      assert.deepEqual(signatures, [2, 1]);
    });

    it('There are twenty webhooks at most, and a recent sign-in is needed to make or change one, or to replace its secret', async () => {
      const { url, passTime } = service();
      const admin = await newWithRole(service(), 'admin');
      const body = { url: 'https://example.org/', events: ['user.created'] };
      const make = () => call(url, 'POST', '/api/webhooks', { token: admin.token, body });
      const { id } = (await make()).body.data;
      for (let each = 1; each < 20; each++) assert.equal((await make()).status, 200);
      assertFailure(await make(), 400, 'limit_reached');
      passTime(11 * MINUTE);
      assertFailure(await make(), 403, 'recent_sign_in_required');
      const path = `/api/webhooks/${id}`;
      const { token } = admin;
      const replaced = await call(url, 'POST', `${path}/secret`, { token });
      assertFailure(replaced, 403, 'recent_sign_in_required');
      const moved = await call(url, 'PUT', path, { token, body: { url: 'https://example.com/' } });
      assertFailure(moved, 403, 'recent_sign_in_required');
    });
  });

  it('A service that was away for days tries failed deliveries for three more, and does not pause their webhook', async (t) => {
    const same = await sameDatabase(t, engine);
    const first = await startService(t, same, SETTINGS, { clock: () => NOW });
    const admin = await newWithRole(first, 'admin');
    const receiver = await startReceiver(t, (response) => response.writeHead(500).end());
    const { id } = await newWebhook(first.url, admin, receiver.url, ['content.created']);
    // More than are sent at once.
    for (let count = 0; count < 6; count++) await newItem(first.url, admin.token);
    const allTried = async ({ store }: RunningService, attempts: number) => {
      const tried = await store.read(readAttempts, id);
      return tried.length === 6 && tried.every((each) => each === attempts);
    };
    await until(() => allTried(first, 1), 'the first attempts fail');
    await first.stop();

    const second = await startService(t, same, SETTINGS, { clock: () => NOW + 4 * DAY });
    await until(() => allTried(second, 2), 'the second attempts fail');
    const { token } = await login(second.url, admin.username);
    const { body } = await call(second.url, 'GET', `/api/webhooks/${id}`, { token });
    assert.equal(body.data.paused, false);
  });

  it('Two instances send each message once, and what a killed one had claimed is sent later', async (t) => {
    const same = await sameDatabase(t, engine);
    const services: RunningService[] = [];
    const count = engine.name === 'SQLite' ? 1 : 2;
    for (let each = 0; each < count; each++)
      services.push(await startService(t, same, SETTINGS, { clock: () => NOW }));
    const [service] = services;
    assert.ok(service);
    const { url, store } = service;
    const [admin, receiver] = [await newWithRole(service, 'admin'), await startReceiver(t)];
    const { id } = await newWebhook(url, admin, receiver.url, ['content.created']);
    for (let each = 0; each < 20; each++) await newItem(url, admin.token);
    await receiver.until(20);
    const log = async () => {
      const { token } = await login(url, admin.username);
      const path = `/api/webhooks/${id}/deliveries?per_page=100`;
      return (await call(url, 'GET', path, { token })).body.data.items;
    };
    const waiting = async () =>
      (await log()).filter(({ status }: { status: string }) => status === 'waiting');
    await until(async () => (await waiting()).length === 0, 'no delivery waits');
    assert.equal(receiver.received.length, 20);

    // A claim whose process ends right after it. The instances here may be faster, so it is tried again.
    let claimed = 0;
    while (claimed === 0) {
      await call(url, 'POST', `/api/webhooks/${id}/test`, { token: admin.token });
      claimed = (await store.write(claimDeliveries, { now: NOW, full: [] })).length;
    }
    for (const each of services) each.passTime(31_000);
    await until(async () => (await waiting()).length === 0, 'no delivery waits');
    assert.equal(new Set(receiver.received.map((each) => each.id)).size, (await log()).length);
  });

  /** A store with one webhook, which wants all changes, has none yet, and nobody sends to. */
  async function newFeed(t: TestContext, changes: number) {
    const settings = await engine.settings(t);
    const operationsUrl = new URL('../../src/operations.ts', import.meta.url).href;
    const store = await openStoreOn(t, readConfig(settings).database, { operationsUrl });
    await execOn(
      settings,
      `INSERT INTO webhooks (id, url, events, description, created_at)
         VALUES (1, 'https://stoa.example/', '["*"]', '', 0);
       INSERT INTO change_readers (name, number, seen_at) VALUES ('webhook 1', 0, 0);
       INSERT INTO changes (number, event, account_id, owner_id, audience, at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${changes})
         SELECT i, 'user.created', i, i, 'owner', 0 FROM n`,
    );
    return {
      settings,
      store,
      deliveries: () => store.read(readDeliveries, 1),
      fill: async (times: number) => {
        for (let each = 0; each < times; each++) await store.write(fillWebhook, { id: 1, now: NOW });
      },
    };
  }

  it('A webhook whose changes are gone from the feed hears of the gap, once, and goes on', async (t) => {
    const { settings, store, fill, deliveries } = await newFeed(t, 8);
    await execOn(settings, 'UPDATE change_readers SET number = 2');
    while (await store.write(removeOldChanges, { now: 0, most: 2 }));
    await fill(3);
    const [gap, ...others] = await deliveries();
    const { type, data } = JSON.parse(gap?.payload ?? '{}');
    const told = [gap?.event, type, data];
    assert.deepEqual(told, ['webhook.gap', 'webhook.gap', { missed_after: 2, go_on_after: 6 }]);
    assert.deepEqual(
      others.map(({ subject }) => subject),
      ['account 7', 'account 8'],
    );
  });

  if (engine.name === 'PostgreSQL')
    it('Two instances that read the feed for a webhook at once make each delivery once', async (t) => {
      const { settings, store, deliveries } = await newFeed(t, 8);
      const held = ['SELECT 1 FROM webhooks WHERE id = 1 FOR UPDATE'];
      const fill = () => outcomeOf(store.write(fillWebhook, { id: 1, now: NOW }));
      await during(settings.DATABASE_URL ?? '', held, 2, () => [fill(), fill()]);
      assert.equal((await deliveries()).length, 8);
    });

  it('At most 1,000 deliveries wait for a webhook, and what follows stays in the feed', async (t) => {
    const { settings, store, fill, deliveries } = await newFeed(t, 1_100);
    await fill(7);
    assert.equal((await deliveries()).length, 1_000);
    assert.deepEqual(await store.read(webhooksBehind, null), []);
    await execOn(settings, `DELETE FROM webhook_deliveries WHERE subject = 'account 1'`);
    // On SQLite, all reads of one turn of the event loop see one state.
    await pause(1);
    assert.deepEqual(await store.read(webhooksBehind, null), [1]);
    await fill(2);
    const waiting = await deliveries();
    assert.deepEqual([waiting.length, waiting.at(-1)?.subject], [1_000, 'account 1001']);
  });

  it('A stop waits for the deliveries under way, and counts those that it cuts off as no attempts', async (t) => {
    const same = await sameDatabase(t, engine);
    const settings = await same.settings(t);
    const service = await startService(t, same, SETTINGS);
    const receiver = await startReceiver(t, () => {});
    const { id } = await newWebhook(service.url, await newWithRole(service, 'admin'), receiver.url, ITEMS);
    await service.stop();
    await execOn(
      settings,
      `INSERT INTO webhook_deliveries (webhook_id, message_id, event, subject, payload, made_at, status, attempts, next_attempt_at)
       VALUES (${id}, 'msg_a', 'content.created', 'item 1', '{"type":"content.created"}', 1, 'waiting', 0, 1)`,
    );
    const operationsUrl = new URL('../../src/operations.ts', import.meta.url).href;
    const store = await openStoreOn(t, readConfig(settings).database, { operationsUrl });
    const attempts = { delivered: 0, failed: 0 };
    const runner = new JobRunner(() => {});
    const parts = { store, sealing: service.sealing, sendsMail: false, tracing: undefined, clock: Date.now };
    const log = { warn: () => {} };
    runner.start(webhookJob({ ...parts, reach: { isPrivateAllowed: true }, attempts, log }));
    await receiver.until(1);
    await runner.close();
    assert.deepEqual(attempts, { delivered: 0, failed: 0 });
    assert.deepEqual(await store.read(readAttempts, id), [0]);
  });
});

// The loop of the job, which is the same on every engine.
onOneEngine('The sending of webhooks', (engine) => {
  it('The sending of webhooks succeeds again after a failure although slow deliveries are always under way', async (t) => {
    let isFaulty = false;
    const before = (operation: string) => {
      if (isFaulty && operation === 'webhooks.behind') throw new Error('a fault');
    };
    const settings = { ...SETTINGS, METRICS_PORT: '0' };
    const service = await startService(t, engine, settings, { wrap: (store) => observed(store, { before }) });
    const { url } = service;
    const { token } = await newWithRole(service, 'admin');
    const receiver = await startReceiver(t, (response) => {
      setTimeout(() => response.end(), 3_000);
    });
    await newWebhook(url, { token }, receiver.url, ['content.created']);
    const figure = async (name: string) => (await scrape(service)).value(name, { task: 'sending webhooks' });
    isFaulty = true;
    await until(async () => (await figure('stoa_task_failures_total')) > 0, 'a run fails');
    await newItem(url, token);
    await until(async () => (await scrape(service)).value('stoa_feed_newest_number') > 0, 'the feed has it');
    isFaulty = false;
    const ended = Date.now() / 1_000;
    for (let second = 0; second < 10; second++) {
      await newItem(url, token);
      await pause(1_000);
    }
    assert.ok(receiver.received.length > 1);
    const succeeded = await figure('stoa_task_last_success_timestamp_seconds');
    assert.ok(succeeded > ended, `${succeeded} ${ended}`);
  });
});

/** Tests that run one after another, because a webhook gets what other tests change too. Each begins without a webhook. */
function describeWithoutOthers(
  engine: TestEngine,
  title: string,
  suite: (service: () => InTurn) => void,
): void {
  const tests = (service: () => InTurn) => {
    const clean = "DELETE FROM webhooks; DELETE FROM change_readers WHERE name LIKE 'webhook %'";
    beforeEach(() => service().exec(clean));
    suite(service);
  };
  describeInTurn(engine, title, tests, SETTINGS);
}

/** One delivery, whose last attempt an instance has claimed and not settled yet. */
async function newClaimed(
  service: InTurn,
  { attempts, first }: { readonly attempts: number; readonly first: number },
) {
  const url = 'http://127.0.0.1:9/';
  const { id } = await newWebhook(service.url, await newWithRole(service, 'admin'), url, ITEMS);
  const now = service.now();
  const claimed = now + LEASE_MS;
  await service.exec(
    `INSERT INTO webhook_deliveries (webhook_id, message_id, event, subject, payload, made_at, status, attempts,
       first_attempt_at, next_attempt_at, claimed_until)
     VALUES (${id}, 'msg_a', 'content.created', 'item 1', '{}', ${first}, 'waiting', ${attempts}, ${first}, ${claimed}, ${claimed})`,
  );
  const delivery = async () => {
    // On SQLite, all reads of one turn of the event loop see one state.
    await pause(1);
    return (await service.store.read(readDeliveries, id))[0];
  };
  const idOfDelivery = (await delivery())?.id ?? 0;
  const settle = (attempt: number, statusCode: number) =>
    service.store.write(settleDelivery, {
      ...{ id: idOfDelivery, url, attempts: attempt, now, random: 0, sendsMail: false },
      outcome: { statusCode, retryAfter: undefined },
    });
  return { delivery, settle };
}

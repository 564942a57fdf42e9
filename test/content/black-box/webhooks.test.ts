import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { isSigned, startReceiver } from './receiver.ts';
import { type Caller, requestsTo } from './requests.ts';

onEveryEngine('Seen from outside, webhooks', (engine) => {
  describeOnService(
    engine,
    'on one service',
    (service) => {
      const { ask, done, member, editor, admin, write } = requestsTo(service);
      const hook = (who: Caller, url: string, events: string[] = ['*']) =>
        done(who, 'POST', '/api/webhooks', { url, events });
      const has = ({ body }: { body: string }, id: number) => {
        const { type, data } = JSON.parse(body);
        return String(type).startsWith('content.') && data.id === id;
      };

      it('Webhooks are for admins only, and another account learns not even whether there is one', async (t) => {
        const [boss, receiver] = [await admin(), await startReceiver(t)];
        const { id } = await hook(boss, receiver.url, ['user.created']);
        const body = { url: receiver.url, events: ['*'] };
        for (const [method, path, given] of [
          ['GET', '/api/webhooks'],
          ['POST', '/api/webhooks', body],
          ...[`/api/webhooks/${id}`, '/api/webhooks/999999'].flatMap((each) => [
            ['GET', each],
            ['PUT', each, { paused: true }],
            ['POST', `${each}/test`],
            ['POST', `${each}/secret`],
            ['GET', `${each}/deliveries`],
            ['DELETE', each],
          ]),
        ] as [string, string, object?][]) {
          assert.equal((await ask(undefined, method, path, given)).status, 401, `${method} ${path}`);
          for (const who of [await member(), await editor()])
            assertFailure(await ask(who, method, path, given), 403, 'forbidden');
        }
        assertFailure(await ask(boss, 'GET', '/api/webhooks/999999'), 404, 'not_found');
        await done(boss, 'DELETE', `/api/webhooks/${id}`);
        assertFailure(await ask(boss, 'GET', `/api/webhooks/${id}`), 404, 'not_found');
      });

      it('Each change of an item arrives signed, in order and below 20 KB, however long the item is', async (t) => {
        const [boss, receiver] = [await admin(), await startReceiver(t)];
        const { id: hookId, secret } = await hook(boss, receiver.url);
        const { id } = await write(boss, { content: 'long '.repeat(100_000), visibility: 'members' });
        await done(boss, 'PUT', `/api/content/${id}`, { title: 'two' });
        await done(boss, 'DELETE', `/api/content/${id}`);
        const about = () => receiver.delivered.filter((each) => has(each, id));
        await until(() => about().length >= 3, 'three messages come');
        const names = about().map(({ body }) => /content\.\w+/.exec(body)?.[0]);
        assert.deepEqual(names, ['content.created', 'content.updated', 'content.trashed']);
        for (const each of about()) {
          assert.ok(isSigned(each, secret));
          assert.ok(Buffer.byteLength(each.body) < 20_000);
        }
        assert.equal(new Set(about().map(({ headers }) => headers['webhook-id'])).size, 3);
        await done(boss, 'DELETE', `/api/webhooks/${hookId}`);
      });

      it('A secret is shown once, and for a day after a new one both sign', async (t) => {
        const [boss, receiver] = [await admin(), await startReceiver(t)];
        const first = await hook(boss, receiver.url, ['content.created']);
        assert.match(first.secret, /^whsec_/);
        for (const path of ['/api/webhooks', `/api/webhooks/${first.id}`])
          assert.doesNotMatch(JSON.stringify(await done(boss, 'GET', path)), /whsec_/);
        const { secret } = await done(boss, 'POST', `/api/webhooks/${first.id}/secret`);
        assert.notEqual(secret, first.secret);
        const { id } = await write(boss);
        await until(() => receiver.delivered.some((each) => has(each, id)), 'the message comes');
        const [one] = receiver.delivered.filter((each) => has(each, id));
        assert.ok(one && isSigned(one, secret) && isSigned(one, first.secret));
        await done(boss, 'DELETE', `/api/webhooks/${first.id}`);
      });

      it('A redirection is not followed, is a failure, and is delivered again with the same id when asked', async (t) => {
        const [boss, receiver, elsewhere] = [await admin(), await startReceiver(t), await startReceiver(t)];
        receiver.answer(302, { location: elsewhere.url });
        const webhook = await hook(boss, receiver.url, ['content.created']);
        const { id } = await write(boss);
        const path = `/api/webhooks/${webhook.id}/deliveries`;
        const about = () => receiver.delivered.filter((each) => has(each, id));
        const logged = async () => {
          const { items } = await done(boss, 'GET', `${path}?per_page=100`);
          return items.find(
            (each: { message_id: string }) => each.message_id === about()[0]?.headers['webhook-id'],
          );
        };
        await until(
          async () => (await logged())?.status === 'waiting' && about().length > 0,
          'the message came and waits to be sent again',
        );
        receiver.answer(200);
        const before = about().length;
        await done(boss, 'POST', `${path}/${(await logged()).id}/redeliver`);
        await until(() => about().length > before, 'the message comes again');
        const [first, repeated] = [about()[0], about()[before]];
        assert.ok(first && repeated && isSigned(repeated, webhook.secret));
        assert.equal(repeated.headers['webhook-id'], first.headers['webhook-id']);
        assert.equal(elsewhere.delivered.length, 0);
        await done(boss, 'DELETE', `/api/webhooks/${webhook.id}`);
      });

      it('A receiver that answers 410 gets nothing more, and the others all that they asked for', async (t) => {
        const [boss, gone, there] = [await admin(), await startReceiver(t), await startReceiver(t)];
        gone.answer(410);
        const hooks = [await hook(boss, gone.url), await hook(boss, there.url, ['content.trashed'])];
        const isPaused = async () => (await done(boss, 'GET', `/api/webhooks/${hooks[0].id}`)).paused;
        const first = await write(boss);
        await until(isPaused, 'the webhook is paused');
        const second = await write(boss);
        await done(boss, 'DELETE', `/api/content/${second.id}`);
        await until(() => there.delivered.some((each) => has(each, second.id)), 'the message comes');
        // What was sent already when the first 410 came still arrives.
        assert.ok(!gone.delivered.some((each) => has(each, second.id)));
        assert.ok(!there.delivered.some((each) => has(each, first.id)));
        assert.ok(there.delivered.every(({ body }) => body.includes('content.trashed')));
        for (const { id } of hooks) await done(boss, 'DELETE', `/api/webhooks/${id}`);
      });
    },
    { WEBHOOK_PRIVATE: 'on' },
  );

  describeOnService(engine, 'without private addresses', (service) => {
    const { ask, done, admin } = requestsTo(service);

    it('No spelling of a private address is ever connected to, and no other scheme is taken', async (t) => {
      const [boss, { port, delivered }] = [await admin(), await startReceiver(t)];
      for (const host of [
        '127.0.0.1',
        'localhost',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '2130706433',
        '0x7f.1',
        '0.0.0.0',
      ]) {
        const body = { url: `http://${host}:${port}/`, events: ['*'] };
        const { status, body: answer } = await ask(boss, 'POST', '/api/webhooks', body);
        if (status === 400) continue;
        assert.equal(status, 200, host);
        const path = `/api/webhooks/${answer.data.id}`;
        const tested = await ask(boss, 'POST', `${path}/test`);
        if (tested.status === 200)
          await until(
            async () => (await done(boss, 'GET', `${path}/deliveries`)).total > 0,
            'the delivery is in the log',
          );
        await done(boss, 'DELETE', path);
      }
      assert.equal(delivered.length, 0);
      for (const url of ['file:///etc/passwd', 'ftp://example.org/', 'example.org', ''])
        assert.equal((await ask(boss, 'POST', '/api/webhooks', { url, events: ['*'] })).status, 400, url);
      for (const events of [[], ['content.invented'], '*'])
        assert.equal(
          (await ask(boss, 'POST', '/api/webhooks', { url: 'https://example.org/', events })).status,
          400,
        );
    });
  });
});

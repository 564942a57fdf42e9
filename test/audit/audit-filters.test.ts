import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { rowOf, type SecurityEvent } from '../../src/services/audit/row.ts';
import { type Account, call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine, type TestEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { linksOf } from '../support/list.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { PLACES, type Place } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

/** Before all that the service itself records. */
const START = Date.UTC(2020, 0, 1);
const HOUR = 3_600_000;
const [HERE, THERE] = ['203.0.113.7', '2001:db8::7'];

/** A statement that puts the event into the trail. */
function insert(event: SecurityEvent): string {
  const row = Object.entries(rowOf(event));
  const values = row.map(([, value]) => (typeof value === 'string' ? `'${value}'` : String(value)));
  return `INSERT INTO audit_events (${row.map(([name]) => name)}) VALUES (${values})`;
}

const origin = (address: string) => ({ address, source: address, requestId: 'of-the-test' });
const iso = (hours: number) => new Date(START + hours * HOUR).toISOString();

interface Item {
  readonly event: string;
  readonly at: string;
}

for (const { name, newPlace } of PLACES)
  describe(`The audit trail over HTTP, on ${name}`, () => {
    let place: Place;
    const engine: TestEngine = {
      name,
      settings: async (t) => {
        place = await newPlace(t);
        // The events are of 2020, and the job that removes old ones runs as soon as the service starts.
        return { DATABASE_URL: place.url, AUDIT_DAYS: '3650' };
      },
    };
    describeOnService(engine, 'on one service', (service) => {
      let root: Account;
      const list = (query: string) =>
        call(service().url, 'GET', `/api/audit?${query}`, { token: root.token });
      const own = (account: Pick<Account, 'token'>, query = '') =>
        call(service().url, 'GET', `/api/auth/events?${query}`, { token: account.token });
      /** What happened in each hour, of the events that this test has made. */
      const hoursOf = async (query: string) => {
        const { status, body } = await list(query);
        assert.equal(status, 200, JSON.stringify(body));
        const hours = body.data.items.map(({ at }: Item) => (Date.parse(at) - START) / HOUR);
        assert.equal(body.data.total, hours.length);
        return hours;
      };

      before(async () => {
        root = await newWithRole(service(), 'admin');
      });

      it('The audit trail is filtered by actor, address and time, with an exact total', async () => {
        const [accountId, actorId] = [4_001, 4_002];
        const who = { accountId, actorId };
        const at = (hours: number) => START + hours * HOUR;
        const events: SecurityEvent[] = [
          { event: 'signed_in', at: at(0), origin: origin(HERE), accountId, actorId: accountId },
          { event: 'role_changed', at: at(1), origin: origin(HERE), ...who },
          { event: 'role_changed', at: at(2), origin: origin(THERE), ...who },
          { event: 'signed_out', at: at(3), origin: origin(THERE), ...who },
          { event: 'role_changed', at: at(4), origin: null, accountId },
        ];
        await place.sql(...events.map(insert));
        const until = `until=${iso(24)}`;
        assert.deepEqual(await hoursOf(`actor=${actorId}`), [3, 2, 1]);
        assert.deepEqual(await hoursOf(`address=${HERE}&${until}`), [1, 0]);
        assert.deepEqual(await hoursOf(`address=${encodeURIComponent(THERE)}`), [3, 2]);
        assert.deepEqual(await hoursOf(until), [4, 3, 2, 1, 0]);
        assert.deepEqual(await hoursOf(`since=${iso(1)}&until=${iso(3)}`), [2, 1]);
        assert.deepEqual(await hoursOf(`since=2020-01-01T02:00:00%2B01:00&until=${iso(2)}`), [1]);
        assert.deepEqual(await hoursOf(`event=role_changed&account=${accountId}&since=${iso(2)}`), [4, 2]);
        assert.deepEqual(
          await hoursOf(
            `event=role_changed&account=${accountId}&actor=${actorId}&address=${HERE}&since=${iso(0)}&${until}`,
          ),
          [1],
        );
        assert.deepEqual(await hoursOf(`since=${iso(3)}&until=${iso(1)}`), []);
        assert.deepEqual(await hoursOf(`actor=${actorId}&address=192.0.2.1`), []);
        const { headers, body } = await list(`actor=${actorId}&since=${iso(0)}&per_page=2`);
        assert.deepEqual([body.data.total, body.data.items.length], [3, 2]);
        const next = linksOf(headers).next ?? '';
        assert.match(next, new RegExp(`actor=${actorId}&since=2020.*page=2$`));
        const second = await call(service().url, 'GET', next, { token: root.token });
        assert.deepEqual(
          second.body.data.items.map(({ at }: Item) => at),
          [iso(1)],
        );
      });

      it('The audit trail refuses a filter with an invalid value', async () => {
        for (const [query, field] of [
          ['since=yesterday', 'since'],
          ['until=2030-02-30T00:00:00Z', 'until'],
          ['since=2030-01-01', 'since'],
          ['since=2030-01-01T00:00:00', 'since'],
          ['since=1893456000000', 'since'],
          ['since=2030-01-01T25:00:00Z', 'since'],
          ['since=', 'since'],
          ['actor=0', 'actor'],
          ['actor=1e1', 'actor'],
          [`address=${'1'.repeat(65)}`, 'address'],
          ['address=%00', 'address'],
        ] as const) {
          const refused = await list(query);
          assertFailure(refused, 400, 'validation_failed', { field });
        }
        assert.match(
          (await list('since=yesterday')).body.message ?? '',
          /^since must be a time like 2030-01-31T12:00:00Z\.$/,
        );
      });

      it('An account sees the events about it, but not which other user acted from where', async () => {
        const { url } = service();
        const [ada, bob] = [await newAccount(url), await newAccount(url)];
        const wrong = await call(url, 'POST', '/api/auth/login', {
          body: { username: ada.username, password: newName() },
        });
        const other = { accountId: ada.id, actorId: root.id, sessionId: sessionIdOf(root.token) };
        const at = Date.now() + HOUR;
        const events: SecurityEvent[] = [
          { event: 'account_disabled', at, origin: origin(HERE), ...other, detail: { because: 'rule' } },
          { event: 'account_disabled', at, origin: origin(HERE), accountId: bob.id, actorId: ada.id },
          { event: 'sessions_ended', at, origin: null, accountId: ada.id },
        ];
        await place.sql(...events.map(insert));
        const { body } = await own(ada);
        assert.equal(body.data.total, 5);
        const items = body.data.items.map(({ id: _, at: __, ...item }: Item & { id: number }) => item);
        const from = { address: '127.0.0.1' };
        const [, , failed, signedIn, registered] = items;
        assert.deepEqual(items, [
          { event: 'sessions_ended', detail: {}, times: 1 },
          { event: 'account_disabled', by: 'somebody_else', detail: { because: 'rule' }, times: 1 },
          {
            event: 'sign_in_failed',
            ...from,
            request_id: wrong.headers.get('x-request-id'),
            detail: {},
            times: 1,
          },
          {
            event: 'signed_in',
            by: 'you',
            session_id: sessionIdOf(ada.token),
            ...from,
            request_id: signedIn.request_id,
            detail: {},
            times: 1,
          },
          { event: 'registered', ...from, request_id: registered.request_id, detail: {}, times: 1 },
        ]);
        assert.equal(failed.by, undefined);
        const text = JSON.stringify(body);
        for (const theirs of [root.username, HERE, 'of-the-test', sessionIdOf(root.token), bob.username])
          assert.ok(!text.includes(theirs), theirs);
      });

      it('An account sees its own events in pages, and its personal access token sees none', async () => {
        const { url } = service();
        const ada = await newAccount(url);
        for (let each = 0; each < 2; each++) await login(url, ada.username, PASSWORD);
        const first = await own(ada, 'event=signed_in&per_page=2');
        const { items, total, page, per_page } = first.body.data;
        assert.deepEqual([items.length, total, page, per_page], [2, 3, 1, 2]);
        assert.equal(linksOf(first.headers).next, '/api/auth/events?event=signed_in&per_page=2&page=2');
        assert.equal((await own(ada, 'event=signed_in&per_page=2&page=2')).body.data.items.length, 1);
        assert.equal((await own(ada, 'event=signed_out')).body.data.total, 0);
        assertFailure(await own(ada, 'event=x'), 400, 'validation_failed', { field: 'event', rule: 'enum' });
        const asAdmin = await own(ada, `account=${root.id}`);
        assertFailure(asAdmin, 400, 'validation_failed', { field: 'account' });
        const token = await newPersonalToken(url, ada);
        assertFailure(await own({ token }), 401, 'token_invalid');
      });
    });
  });

onEveryEngine('The audit trail', (engine) => {
  it('One account reads the audit trail twice at once at most, like any search', async (t) => {
    const seen: number[] = [];
    let underWay = 0;
    const hold = async (name: string) => {
      if (name !== 'audit.list') return;
      seen.push(++underWay);
      for (let turns = 0; turns < 20; turns++) await nextTurn();
      underWay--;
    };
    const service = await startService(t, engine, {}, { wrap: (store) => observed(store, { before: hold }) });
    const { token } = await newWithRole(service, 'admin');
    for (const path of ['/api/audit', '/api/auth/events']) {
      seen.length = 0;
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => call(service.url, 'GET', path, { token })),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(seen.length, 8);
      assert.ok(Math.max(...seen) <= 2, `${path}: ${seen}`);
    }
  });
});

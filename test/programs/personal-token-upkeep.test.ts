import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PersonalTokenUses, recordUses } from '../../src/sessions/personal-token-uses.ts';
import { readOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { scrape } from '../support/metrics.ts';
import { passMinute } from '../support/minutes.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);
const PATH = '/api/auth/tokens';
const RECORD = 'sessions.record_uses';
const TASK = 'keeping the last use of tokens';

const countRows = readOperation('test.count_token_rows', async (db, _: null) => {
  const [tokens, sessions] = await Promise.all(
    (['personal_tokens', 'sessions'] as const).map((table) =>
      db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow(),
    ),
  );
  return [Number(tokens?.count), Number(sessions?.count)];
});

it('A use of a personal access token while the uses before are written is written by the next run', async () => {
  const uses = new PersonalTokenUses();
  const written: unknown[] = [];
  const write = async (_: unknown, minutes: unknown) => {
    written.push(minutes);
    if (written.length === 1) uses.note('token', MINUTE);
  };
  uses.note('token', 0);
  for (let run = 0; run < 3; run++) await uses.write({ write } as unknown as Store);
  assert.deepEqual(
    written,
    [0, MINUTE].map((at) => [{ at, ids: ['token'] }]),
  );
});

// One after another: a minute passes for all services of this process at once.
onEveryEngine('Upkeep of personal access tokens', (engine) =>
  describe('one after another', { concurrency: 1 }, () => {
    it('The last use of a personal access token is kept to the minute, by one write a minute', async (t) => {
      const writes: string[] = [];
      const wrap = (store: Parameters<typeof observed>[0]) =>
        observed(store, { before: (name) => writes.push(name) });
      const service = await startService(t, engine, { METRICS_PORT: '0' }, { clock: () => NOW, wrap });
      const { url, passTime } = service;
      // From then on the job waits for a minute to pass.
      await until(
        async () =>
          (await scrape(service)).value('stoa_task_last_success_timestamp_seconds', { task: TASK }) > 0,
        'the job has had its first run',
      );
      const owner = await newAccount(url);
      const keys = [
        await newPersonalToken(url, owner, 'read', 'one'),
        await newPersonalToken(url, owner, 'read', 'two'),
      ];
      const lastUses = async () => {
        const { items } = (await call(url, 'GET', PATH, { token: owner.token })).body.data;
        return Object.fromEntries(
          items.map(({ name, last_used_at }: { name: string; last_used_at?: string }) => [
            name,
            last_used_at,
          ]),
        );
      };
      assert.deepEqual(await lastUses(), { one: undefined, two: undefined });
      const use = (key = '') => call(url, 'GET', '/api/users/me', { token: key });
      passTime(10_000);
      await use(keys[1]);
      passTime(MINUTE);
      for (let each = 0; each < 20; each++) await use(keys[0]);
      assert.equal(writes.filter((name) => name === RECORD).length, 0, 'no use is a write');
      passMinute();
      const elapsed = stopwatch();
      while ((await lastUses()).one === undefined) {
        assert.ok(elapsed() < 10_000, 'The last use is not written.');
        await pause(20);
      }
      assert.deepEqual(await lastUses(), {
        one: new Date(NOW + MINUTE).toISOString(),
        two: new Date(NOW).toISOString(),
      });
      assert.equal(writes.filter((name) => name === RECORD).length, 1);
      // What another instance saw earlier and writes later does not put the time back.
      const { items } = (await call(url, 'GET', PATH, { token: owner.token })).body.data;
      const ids = items.map(({ id }: { id: string }) => id);
      const before = await lastUses();
      await service.store.write(recordUses, [{ ids, at: NOW - MINUTE }]);
      assert.deepEqual(await lastUses(), before);
    });

    it('A personal access token is removed a day after its end, and living ones stay', async (t) => {
      const { url, store, passTime } = await startService(t, engine, {}, { clock: () => NOW });
      const { token } = await newAccount(url);
      const make = async (expires_in_days: number): Promise<string> => {
        const body = { name: 'n', scope: 'read', expires_in_days };
        return (await call(url, 'POST', PATH, { token, body })).body.data.id;
      };
      await make(1);
      await make(2);
      const id = await make(365);
      assert.equal((await call(url, 'DELETE', `${PATH}/${id}`, { token })).status, 200);
      passTime(2 * DAY);
      passMinute();
      const elapsed = stopwatch();
      while ((await store.read(countRows, null))[0] !== 1) {
        assert.ok(elapsed() < 10_000, `${await store.read(countRows, null)} rows are left`);
        await pause(20);
      }
      assert.deepEqual(await store.read(countRows, null), [1, 2]);
    });
  }),
);

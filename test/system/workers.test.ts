// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAccount } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { ENGINES, type Lifetime } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { until, untilThere } from '../support/until.ts';
import { clientsOf, type WorkerClient } from '../support/workers.ts';

const WORKERS = { WORKERS: '2', DATABASE_POOL: '10' };

interface Shown {
  readonly number: number;
  readonly serving: boolean;
  readonly restarts: number;
  readonly started_at?: string;
  readonly memory_bytes?: number;
}

for (const engine of ENGINES)
  describe(`The workers over HTTP, on ${engine.name}`, () => {
    const start = async (t: Lifetime) => {
      const settings = await engine.settings(t);
      const service = await startProcess(t, { ...settings, ...WORKERS });
      const { username, token } = await newAccount(service.url);
      const { code, stderr } = await stoa(['admin', 'role', username, 'admin'], { settings });
      assert.equal(code, 0, stderr);
      const [one, other] = await clientsOf(t, service);
      assert.ok(one && other);
      /** What an admin reads at this worker. */
      const read = ({ send }: WorkerClient): Promise<Shown[]> =>
        untilThere(async () => {
          const { status, body } = await send('GET', '/api/system', token);
          return status === 200 ? body.data.workers : undefined;
        }, 'an admin reads it');
      return { service, one, other, read };
    };

    it('An admin reads the same workers at each of them, and no process id', async (t) => {
      const { one, other, read } = await start(t);
      const begun = Date.now() - 1_000 * process.uptime();
      for (const client of [one, other]) {
        const workers = await read(client);
        assert.deepEqual(
          workers.map(({ number, serving, restarts }) => [number, serving, restarts]),
          [
            [1, true, 0],
            [2, true, 0],
          ],
        );
        for (const { started_at = '', memory_bytes = 0, ...rest } of workers) {
          assert.deepEqual(Object.keys(rest).sort(), ['number', 'restarts', 'serving']);
          const startedAt = Date.parse(started_at);
          assert.ok(startedAt > begun && startedAt <= Date.now(), started_at);
          assert.ok(memory_bytes > 10_000_000, `${memory_bytes} bytes`);
        }
      }
    });

    it('A worker that was killed and replaced is read as one restart of its number, and a later start', async (t) => {
      const { service, one, other, read } = await start(t);
      const before = await read(other);
      process.kill(one.worker, 'SIGKILL');
      await until(() => service.stdout().includes('a worker has taken the place'), 'a new worker');
      const after = await read(other);
      assert.deepEqual(after.map(({ restarts }) => restarts).toSorted(), [0, 1]);
      for (const [index, { number, serving, restarts, started_at = '' }] of after.entries()) {
        const earlier = before[index]?.started_at ?? '';
        assert.deepEqual([number, serving], [index + 1, true]);
        assert.equal(Date.parse(started_at) > Date.parse(earlier), restarts > 0, `${earlier} ${started_at}`);
      }
    });

    it('A worker that does not answer is in the list of the others, which are read in time', async (t) => {
      const { one, other, read } = await start(t);
      process.kill(one.worker, 'SIGSTOP');
      const workers = await read(other).finally(() => process.kill(one.worker, 'SIGCONT'));
      const shown = workers.map(({ serving, memory_bytes = 0 }) => [serving, memory_bytes > 0]);
      assert.deepEqual(shown.toSorted(), [
        [true, false],
        [true, true],
      ]);
    });
  });

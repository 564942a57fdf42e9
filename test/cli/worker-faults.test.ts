// Needs: processes.

import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { newAccount } from '../support/client.ts';
import { ENGINES, temporaryFolder } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';
import { placeAt } from '../support/place.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { isAlive } from '../support/process-state.ts';
import { startHere } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { clientsOf, workersOf } from '../support/workers.ts';
import { startWriters } from '../support/writers.ts';

const WORKERS = { WORKERS: '2', DATABASE_POOL: '10' };

// One test, because each step goes on with the service that the one before it left.
for (const engine of ENGINES)
  it(`A service with workers loses no acknowledged write, whichever of its processes is killed, on ${engine.name}`, async (lifetime) => {
    const settings = { ...(await engine.settings(lifetime)), ...WORKERS };
    const place = placeAt(settings);
    const service = await startProcess(lifetime, settings);

    await lifetime.test(
      'A worker that is killed under load is replaced, the others go on, and no acknowledged write is lost',
      async () => {
        const writers = await startWriters(lifetime, service, place);
        await writers.more(60);
        const [killed, spared] = workersOf(service);
        assert.ok(killed && spared);
        process.kill(killed, 'SIGKILL');
        await writers.more(20);
        assert.ok(isAlive(spared), 'the other one goes on');
        await until(() => countOf(service, 'a worker has taken the place') > 0, 'another worker serves');
        assert.equal(workersOf(service).length, 2);
        await writers.more(60);
        await writers.stop();
        await writers.check(service.url);
        assert.equal(countOf(service, 'a worker ended unexpectedly'), 1);
      },
    );

    await lifetime.test(
      'A stream at one worker has what another one changed, ends when its worker is killed, and goes on at a new one without a loss',
      async (t) => {
        const replaced = countOf(service, 'a worker has taken the place');
        const { token } = await newAccount(service.url);
        const [one, other] = await clientsOf(t, service);
        assert.ok(one && other);
        const made: number[] = [];
        const create = async () => {
          const answer = await other.send('POST', '/api/content', token, { title: 'x', content: 'x' });
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          made.push(answer.body.data.id);
        };
        const first = await one.listen(token);
        for (let count = 0; count < 10; count++) await create();
        await first.heard('content.created', made.at(-1) ?? 0);

        process.kill(one.worker, 'SIGKILL');
        while (!first.isOver()) await create();
        await until(
          () => countOf(service, 'a worker has taken the place') > replaced,
          'another worker serves',
        );
        await create();
        const fresh = (await clientsOf(t, service)).find(({ worker }) => worker !== other.worker);
        assert.ok(fresh && fresh.worker !== one.worker);
        const second = await fresh.listen(token, first.events.at(-1)?.id);
        t.after(second.close);
        for (let count = 0; count < 10; count++) await create();
        await second.heard('content.created', made.at(-1) ?? 0);
        // The feed may begin with the account, and with what was written before.
        const heard = [...first.events, ...second.events]
          .filter(({ name, data }) => name !== 'user.created' && data.id >= (made[0] ?? 0))
          .map(({ name, data }) => [name, data.id]);
        assert.deepEqual(
          heard,
          made.map((id) => ['content.created', id]),
        );
        assert.ok(first.events.length < made.length, 'some were made while nobody listened');
      },
    );

    await lifetime.test(
      'Workers end within a second of their primary, and the service can be started again with every acknowledged write',
      async () => {
        const writers = await startWriters(lifetime, service, place);
        await writers.more(100);
        const workers = workersOf(service);
        assert.equal(workers.length, 2);
        await service.stop('SIGKILL');
        const elapsed = stopwatch();
        await until(() => !workers.some(isAlive), 'the workers end');
        assert.ok(elapsed() < 1_000, `${elapsed()} ms`);
        await writers.stop();
        const again = await startHere(lifetime, { ...settings, WORKERS: '1' });
        await writers.check(again.url);
      },
    );
  });

// A start fails alike on each engine. One test, because the second step ends the service.
it('A worker is replaced by the version of its primary, and one that cannot start ends the service', async (lifetime) => {
  const [folder, DATA_DIR] = [await temporaryFolder(lifetime), await temporaryFolder(lifetime)];
  const [link, next] = [join(folder, 'stoa'), join(folder, 'next')];
  await symlink(join(MAIN, '../..'), link);
  const start = { program: process.execPath, args: [join(link, 'dist/main.js'), 'serve'] };
  const service = await startProcess(lifetime, { DATA_DIR, ...WORKERS }, start);
  await until(() => workersOf(service).length === 2, 'both workers serve');
  const killWorker = () => {
    const [worker] = workersOf(service);
    assert.ok(worker);
    process.kill(worker, 'SIGKILL');
  };

  await lifetime.test(
    'A worker that replaces another is of the version of its primary, although the link to the program leads to another one',
    async () => {
      await mkdir(join(next, 'dist'), { recursive: true });
      await writeFile(join(next, 'dist/main.js'), 'process.exit(7);');
      await rm(link);
      await symlink(next, link);
      killWorker();
      await until(() => countOf(service, 'a worker has taken the place') > 0, 'another worker serves');
      assert.equal(countOf(service, 'a worker ended unexpectedly'), 1);
    },
  );

  await lifetime.test(
    'A worker that ends at its start again and again ends the service with one sentence',
    async () => {
      const earlier = service.stdout().length;
      // What each start reads, and a service that runs does not.
      await rm(join(DATA_DIR, 'sealing.key'));
      killWorker();
      await until(() => service.child.exitCode !== null, 'the service ends');
      assert.equal(service.child.exitCode, 1);
      const lines = service.stdout().slice(earlier).split('\n');
      const fatal = lines.filter((line) => line.includes('"level":60'));
      assert.equal(fatal.length, 1, service.stdout());
      assert.match(
        fatal[0] ?? '',
        /A worker ended with code 1 before it could serve 3 times in a row; see what it said above, and start the service again\./,
      );
      assert.match(service.stderr(), /sealing key|SEALING_KEY/);
      // Its replacements start a second apart: without a pause they would take all processors.
      const [first = Number.NaN, ...later] = lines
        .filter((line) => /another one takes its place|"level":60/.test(line))
        .map((line) => Number(JSON.parse(line).time));
      const took = (later.at(-1) ?? Number.NaN) - first;
      assert.ok(took >= 990, `three starts within ${took} ms`);
    },
  );
});

function countOf(service: ServiceProcess, line: string): number {
  return service.stdout().split(line).length - 1;
}

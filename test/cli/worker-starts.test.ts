// Needs: processes, and a process of its own.

import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { WorkerProcesses } from '../../src/cli/worker-processes.ts';
import { OperatorError } from '../../src/domain/operator-error.ts';
import type { Peer } from '../../src/domain/peer.ts';
import { freePort } from '../support/cluster.ts';
import { temporaryFolder } from '../support/engines.ts';
import { until } from '../support/until.ts';

/** Settings with which no worker gets a process: an event says so with the first, and an exception with the second. */
const IMPOSSIBLE = [{ cwd: '/nonexistent' }, { uid: 0.5 }];
const POSSIBLE = { cwd: '/', uid: process.getuid?.() ?? 0, execArgv: [] };

it('A service whose first worker gets no process fails with the reason, and can be stopped', async () => {
  for (const settings of IMPOSSIBLE) {
    const { workers } = newWorkers();
    cluster.setupPrimary({ ...POSSIBLE, ...settings });
    await assert.rejects(workers.start(), OperatorError);
    await workers.stop('SIGTERM');
  }
});

it('A worker that gets no process is replaced as soon as there can be one', async (t) => {
  const { workers, logged } = newWorkers(await freePort());
  cluster.setupPrimary({ ...POSSIBLE, exec: await listeningProgram(t) });
  t.after(() => workers.stop(undefined));
  await workers.start();
  for (const settings of IMPOSSIBLE) {
    cluster.setupPrimary(settings);
    const before = logged('a worker process failed');
    for (const { process } of Object.values(cluster.workers ?? {}).flatMap((each) => each ?? []))
      process.kill('SIGKILL');
    await until(() => logged('a worker process failed') > before, 'a worker gets no process');
    cluster.setupPrimary(POSSIBLE);
    await until(() => workers.serving.length === 1, 'another one serves');
  }
});

it('A worker that has stopped listening hears so only when the others have stopped too', async (t) => {
  const peers: Peer[] = [];
  let answered = 0;
  const prepare = (peer: Peer) => {
    peers.push(peer);
    peer.onNotice('answered', () => answered++);
  };
  const { workers } = newWorkers(await freePort(), { count: 2, prepare });
  cluster.setupPrimary({ ...POSSIBLE, exec: await stoppingProgram(t) });
  t.after(() => workers.stop(undefined));
  await workers.start();
  await until(() => workers.serving.length === 2, 'both serve');
  const [first, second] = peers;
  assert.ok(first && second);
  await first.call('ask', null);
  // What was answered before is told before these.
  for (let each = 0; each < 3; each++) await first.call('ping', null);
  assert.equal(answered, 0);
  await second.call('ask', null);
  await until(() => answered === 2, 'both hear that all have stopped');
});

function newWorkers(port = 1, { count = 1, prepare = (_: Peer) => {} } = {}) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const workers = new WorkerProcesses({
    count,
    port,
    logger,
    prepare,
    onFailure: assert.ifError,
  });
  const logged = (message: string) => lines.filter((line) => JSON.parse(line).msg === message).length;
  return { workers, logged };
}

function listeningProgram(t: TestContext): Promise<string> {
  return programOf(t, "import { createServer } from 'node:net';\ncreateServer().listen(process.env.PORT);\n");
}

/** Listens when it may, and says that it has stopped when it is asked to. */
function stoppingProgram(t: TestContext): Promise<string> {
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  return programOf(
    t,
    `import { createServer } from 'node:net';
    import { MAY_LISTEN, openPrimary, STOPPED_LISTENING } from ${source('cli/primary-link.ts')};
    const primary = openPrimary();
    primary.answer('ping', async () => {});
    primary.answer('ask', async () => {
      void primary.call(STOPPED_LISTENING).then(() => primary.notify('answered'));
    });
    await primary.call(MAY_LISTEN);
    createServer().listen(process.env.PORT);`,
  );
}

async function programOf(t: TestContext, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), 'worker.mjs');
  await writeFile(file, text);
  return file;
}

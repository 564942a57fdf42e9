// Needs: processes, and a process of its own.

import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { WorkerProcesses } from '../../src/cli/worker-processes.ts';
import { OperatorError } from '../../src/domain/operator-error.ts';
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

function newWorkers(port = 1) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const workers = new WorkerProcesses({
    count: 1,
    port,
    logger,
    prepare: () => {},
    onFailure: assert.ifError,
  });
  const logged = (message: string) => lines.filter((line) => JSON.parse(line).msg === message).length;
  return { workers, logged };
}

async function listeningProgram(t: TestContext): Promise<string> {
  const file = join(await temporaryFolder(t), 'worker.mjs');
  await writeFile(
    file,
    "import { createServer } from 'node:net';\ncreateServer().listen(process.env.PORT);\n",
  );
  return file;
}

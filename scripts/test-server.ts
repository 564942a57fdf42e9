import { startSharedCluster } from '../test/support/cluster.ts';
import { announceServer, findServer, withdrawServer } from '../test/support/shared-server.ts';

/** Runs one PostgreSQL until Ctrl-C. All test files of this checkout find it by themselves. */
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
});
const running = await findServer();
if (running !== undefined) {
  process.stderr.write(`The tests have a PostgreSQL already: ${running}\n`);
  process.exit(1);
}
const cluster = await startSharedCluster();
await announceServer(cluster.url);
process.stdout.write(`The test files use ${cluster.url} until this ends (Ctrl-C).\n`);
await stopped;
await withdrawServer();
await cluster.remove();

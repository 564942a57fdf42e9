import { once } from 'node:events';
import { startCluster } from './cluster.ts';

// Starts a cluster and prints its URL. Removes the cluster when standard input ends.
const cluster = await startCluster();
process.stdout.write(`${cluster.url}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await cluster.remove();

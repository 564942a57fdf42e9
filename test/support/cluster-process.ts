import { once } from 'node:events';
import { startCluster, startSharedCluster } from './cluster.ts';

// Starts a cluster, as all tests share it or as one test has it, and prints its URL. Removes the cluster when standard
// input ends.
const cluster = await (process.argv[2] === 'shared' ? startSharedCluster() : startCluster());
process.stdout.write(`${cluster.url}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await cluster.remove();

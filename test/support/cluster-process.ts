import { once } from 'node:events';
import { startCluster } from './cluster.ts';

// Prints the URL of a cluster of its own, which goes when standard input ends.
const cluster = await startCluster();
process.stdout.write(`${cluster.url}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await cluster.remove();

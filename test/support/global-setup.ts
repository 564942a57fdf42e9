import { type Cluster, startSharedCluster } from './cluster.ts';
import { findServer } from './shared-server.ts';

/**
 * The PostgreSQL server of this run, where it had to start one. The test files find the server by
 * STOA_TEST_POSTGRES.
 */
let cluster: Cluster | undefined;

export async function globalSetup(): Promise<void> {
  process.env.STOA_TEST_POSTGRES = (await findServer()) ?? (await startOne());
}

export async function globalTeardown(): Promise<void> {
  await cluster?.remove();
}

async function startOne(): Promise<string> {
  cluster = await startSharedCluster();
  return cluster.url;
}

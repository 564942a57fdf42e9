import { type Cluster, SHARED_SETTINGS, startCluster } from './cluster.ts';

/**
 * One PostgreSQL server for the whole run, unless STOA_TEST_POSTGRES names one (a URL of a user that
 * may create databases). The test files find it by that same variable.
 */
let cluster: Cluster | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env.STOA_TEST_POSTGRES) return;
  cluster = await startCluster(SHARED_SETTINGS);
  process.env.STOA_TEST_POSTGRES = cluster.url;
}

export async function globalTeardown(): Promise<void> {
  await cluster?.remove();
}

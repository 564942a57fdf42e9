import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Reading } from '../domain/metrics.ts';
import type { Peer } from '../domain/peer.ts';
import type { Sources } from './metrics.ts';
import { registryOfNode } from './of-node.ts';

export type NodeMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a worker knows, for the metrics of the service. */
export interface WorkerReport {
  readonly readings: readonly Reading[];
  readonly ofNode: NodeMetrics;
}

/** Answers the primary with the figures of this worker. Only one worker is asked for those of the database. */
export function reportMetrics(primary: Peer, { readings, measured }: Sources): void {
  const registry = registryOfNode();
  primary.answer('metrics', async (isMeasuring): Promise<WorkerReport> => {
    const ofDatabase = isMeasuring === true ? await measured.readings() : [];
    return { readings: [...readings(), ...ofDatabase], ofNode: await registry.getMetricsAsJSON() };
  });
}

export function isWorkerReport(report: unknown): report is WorkerReport {
  if (typeof report !== 'object' || report === null || !('readings' in report && 'ofNode' in report))
    return false;
  return Array.isArray(report.readings) && Array.isArray(report.ofNode);
}

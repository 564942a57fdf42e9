import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges of the library whose names say that they are counters, which the linter of Prometheus refuses. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** What Node.js knows of this process. */
export function registryOfNode(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}

/** The library writes "Nan", which the format does not have, for the delay of a loop that was not measured yet. */
export async function textOfNode(registry: Registry): Promise<string> {
  return (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN');
}

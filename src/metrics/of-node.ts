import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Gauges of the library whose names say that they are counters, which the linter of Prometheus refuses. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

const START = 'process_start_time_seconds';

/** What Node.js knows of this process. */
export function registryOfNode(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of [...MISNAMED, START]) registry.removeSingleMetric(name);
  // The library leaves it out where there are several processes. The first has started when the service did.
  const start = Math.round(Date.now() / 1_000 - process.uptime());
  const help = 'When the process started.';
  new Gauge({ name: START, help, registers: [registry], aggregator: 'min' }).set(start);
  return registry;
}

/** The library writes "Nan", which the format does not have, for the delay of a loop that was not measured yet. */
export async function textOfNode(registry: Registry): Promise<string> {
  return (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN');
}

import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Address, listenForMetrics, type MetricsText } from './listener.ts';
import { Metrics, type Sources } from './metrics.ts';

interface Options extends Sources {
  readonly address: Address;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
}

/** Serves the metrics until the app closes. Fails where the address cannot be used. */
export async function serveMetrics(
  app: FastifyInstance,
  { address, log, ...sources }: Options,
): Promise<void> {
  const close = await startMetrics(new Metrics(sources), address, log);
  app.addHook('onClose', close);
}

/** Serves the metrics until the returned function is called. Fails where the address cannot be used. */
export async function startMetrics(
  metrics: MetricsText,
  address: Address,
  log: Pick<FastifyBaseLogger, 'info'>,
): Promise<() => Promise<void>> {
  const server = await listenForMetrics(metrics, address);
  const { port } = server.address() as AddressInfo;
  log.info({ host: address.host, port }, 'metrics are served');
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Address, listenForMetrics } from './listener.ts';
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
  const metrics = new Metrics(sources);
  const server = await listenForMetrics(metrics, address);
  app.addHook('onClose', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  log.info({ host: address.host, port }, 'metrics are served');
}

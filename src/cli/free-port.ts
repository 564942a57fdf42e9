import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { explain } from './explain.ts';

/**
 * Returns the port if it is free, and a free one for 0. Listens for a moment, and answers nobody. Fails with OperatorError
 * where this process could not listen there.
 */
export async function freePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening').catch((error) => {
    throw new OperatorError(explain(error));
  });
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}

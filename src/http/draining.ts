import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection on which nothing was asked for this long is not about to be asked something. */
const QUIET_MS = 500;
/** However busy the clients are, closing begins after this long. */
const LONGEST_MS = 5_000;
const CHECK_MS = 20;

/**
 * Lets go of the clients without resetting any. Closing at once would hang up on connections that are
 * idle at this moment, and a request that is on its way to one of them would be lost. So: no new
 * connections, "Connection: close" with every answer, and a while for each client to see one.
 */
export async function drain(server: Server): Promise<void> {
  // The close of an HTTP server hangs up on idle connections; that of a TCP server only stops listening.
  TcpServer.prototype.close.call(server);
  const began = Date.now();
  let lastAsked = began;
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    lastAsked = Date.now();
    response.setHeader('connection', 'close');
  });
  while (Date.now() - lastAsked < QUIET_MS && Date.now() - began < LONGEST_MS) {
    if ((await openConnections(server)) === 0) return;
    await sleep(CHECK_MS);
  }
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

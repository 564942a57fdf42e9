import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endStreams } from './streams.ts';

/** When no request has arrived for this long, none is on its way. */
const QUIET_MS = 500;
/** Closing begins after this long, even if clients are still busy. */
const LONGEST_MS = 5_000;
const CHECK_MS = 20;
/** The longest time for other processes that listen on the same port. */
const OTHERS_MS = 1_000;

/**
 * Closes the connections without losing a request. Closing at once would cut connections that are idle now, and lose
 * requests on their way to them. So the server accepts no more connections, every answer says "Connection: close", and
 * clients get some time to see it. `othersStopped` resolves when no process accepts connections on the port: a client that
 * comes back before that would be lost.
 */
export async function drain(
  server: Server,
  othersStopped: () => Promise<unknown> = async () => {},
): Promise<void> {
  // The close of an HTTP server cuts idle connections. The close of a TCP server only stops listening.
  TcpServer.prototype.close.call(server);
  await Promise.race([othersStopped(), sleep(OTHERS_MS, undefined, { ref: false })]);
  endStreams(server);
  const countConnections = promisify(server.getConnections.bind(server));
  // A clock that is set back meanwhile must not prolong the stop.
  const began = performance.now();
  let lastAsked = began;
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    lastAsked = performance.now();
    response.setHeader('connection', 'close');
  });
  while (performance.now() - lastAsked < QUIET_MS && performance.now() - began < LONGEST_MS) {
    if ((await countConnections()) === 0) return;
    await sleep(CHECK_MS);
  }
}

import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Lifetime } from './engines.ts';

/** Longer than any client of the tests keeps an idle connection: a request could go out on one that just closed. */
const IDLE_MS = 75_000;

/** Passes each request, such as `GET /livez`, on to the service whose URL `choose` returns. Returns its own URL. */
export async function splitProxy(t: Lifetime, choose: (request: string) => string): Promise<string> {
  const agent = new Agent({ keepAlive: true, timeout: 20_000 });
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (asked, answer) => {
    const { method = '', url = '', headers } = asked;
    const passed = request(choose(`${method} ${url}`) + url, { agent, method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 0, got.rawHeaders);
      pipeline(got, answer, () => {});
    });
    pipeline(asked, passed, (error) => error && answer.destroy(error));
    passed.on('error', (error) => answer.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

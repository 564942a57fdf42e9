import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

/** A request that a webhook made. */
export interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A program that webhooks call. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly delivered: readonly Delivered[];
  /** How each request from now on is answered; 200 unless told otherwise. */
  readonly answer: (status: number, headers?: Record<string, string>) => void;
}

/** Listens on loopback until the test ends. */
export async function startReceiver(t: TestContext): Promise<Receiver> {
  const delivered: Delivered[] = [];
  let [status, headers]: [number, Record<string, string>] = [200, {}];
  const server = createServer(async (request, response) => {
    delivered.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    delivered,
    answer: (code, more = {}) => {
      [status, headers] = [code, more];
    },
  };
}

/** Is one of the request's signatures made with this secret? As www.standardwebhooks.com says, by hand. */
export function isSigned({ headers, body }: Delivered, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}

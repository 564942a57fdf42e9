import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Lifetime } from './engines.ts';
import { until as wait } from './until.ts';

/** A message as its endpoint got it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: string;
  readonly id: string;
}

/** An endpoint of webhooks on this machine. */
export interface Receiver {
  readonly url: string;
  /** All requests, also those that were answered with a failure. */
  readonly received: readonly Received[];
  /** Resolves when there are this many requests. */
  readonly until: (count: number) => Promise<readonly Received[]>;
}

/** Answers each request as `answer` says, or not at all where that does nothing. */
export async function startReceiver(
  t: Lifetime,
  answer: (response: ServerResponse, received: Received, index: number) => void = (response) =>
    response.end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async ({ headers, method }, response) => {
    const body = await text(response.req);
    const event = method === 'POST' ? JSON.parse(body).type : method;
    const message = { headers, body, event, id: String(headers['webhook-id']) };
    answer(response, message, received.push(message) - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const until = async (count: number) => {
    await wait(() => received.length >= count, `the endpoint gets ${count} requests`);
    return received;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, until };
}

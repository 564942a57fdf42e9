import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Envelope } from './client.ts';

/** A request whose body has not come yet. */
export interface SlowRequest {
  /** Sends the body and returns the answer. */
  readonly finish: () => Promise<{ readonly status: number; readonly body: Envelope }>;
}

interface Head {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: object;
  readonly mediaType?: string;
}

/** Sends the headers of a request over a connection of its own. Resolves when the service has read them. */
export async function beginRequest(
  url: string,
  { method, path, token, body, mediaType = 'application/json' }: Head,
): Promise<SlowRequest> {
  const bytes = JSON.stringify(body);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    'Expect: 100-continue',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(bytes)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  if (!String(first).startsWith('HTTP/1.1 100 ')) throw new Error(`No "100 Continue", but: ${first}`);
  return {
    finish: async () => {
      socket.write(bytes);
      const answer = await text(socket);
      const [top = '', json = ''] = answer.split('\r\n\r\n');
      return { status: Number(top.split(' ')[1]), body: JSON.parse(json) };
    },
  };
}

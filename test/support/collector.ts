import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Lifetime } from './engines.ts';

/** A span as OTLP has it in JSON. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** What a span tells, by name. */
export function attributesOf({ attributes }: CollectedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A collector of traces, by OTLP over HTTP. */
export interface Collector {
  readonly url: string;
  readonly spans: () => CollectedSpan[];
  /** All bytes that came, with the headers. */
  readonly raw: () => string;
  readonly headers: readonly IncomingHttpHeaders[];
  /** Answers with this status from now on; undefined never answers. */
  readonly answer: (status: number | undefined) => void;
}

export async function startCollector(t: Lifetime): Promise<Collector> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let status: number | undefined = 200;
  const server = createServer(async (request, response) => {
    bodies.push((await buffer(request)).toString());
    headers.push(request.headers);
    if (status !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const spansIn = (body: string): CollectedSpan[] =>
    JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: { spans: CollectedSpan[] }[] }) =>
      resource.scopeSpans.flatMap(({ spans }) => spans),
    );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansIn),
    raw: () => bodies.join() + JSON.stringify(headers),
    headers,
    answer: (next) => {
      status = next;
    },
  };
}

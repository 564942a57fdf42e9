import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';

/** A few scrapers, each with one short request. */
const CONNECTIONS = 16;
const HEADERS_BYTES = 8 * 1024;
const PATIENCE_MS = 5_000;
const CHECK_MS = 1_000;
const PATH = '/metrics';

/** What is served. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Serves the metrics on an address of their own, so that no proxy in front of the service shows them by mistake. Has
 * limits of its own: those of the service count its clients. Fails where the address cannot be used.
 */
export async function listenForMetrics(metrics: MetricsText, { host, port }: Address): Promise<Server> {
  const server = createServer(
    {
      maxHeaderSize: HEADERS_BYTES,
      headersTimeout: PATIENCE_MS,
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    (request, response) => {
      answer(metrics, request, response).catch(() => end(response, 500, 'The metrics could not be read.\n'));
    },
  );
  server.maxConnections = CONNECTIONS;
  // A body is not read: the connection ends with the answer.
  server.setTimeout(2 * PATIENCE_MS);
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new OperatorError(
      `The metrics cannot be served on ${host}, port ${port} (METRICS_HOST, METRICS_PORT): ${reasonOf(error)}; choose another.`,
    );
  }
  return server;
}

async function answer(metrics: MetricsText, { method, url }: IncomingMessage, response: ServerResponse) {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  if (url?.split('?', 1)[0] !== PATH) return end(response, 404, `The metrics are at ${PATH}.\n`);
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return end(response, 405, 'The metrics can only be read.\n');
  }
  end(response, 200, await metrics.text(), metrics.contentType);
}

function end(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8') {
  const length = Buffer.byteLength(text);
  response
    .writeHead(status, { 'content-type': type, 'content-length': length, connection: 'close' })
    .end(text);
}

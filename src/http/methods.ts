import { METHODS, ServerResponse } from 'node:http';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { answerPreflight } from './cors.ts';
import { PUBLIC_PAGE } from './declaration.ts';
import { sendFailure } from './errors.ts';

/** Methods for which Fastify reads a body. */
const WITH_BODY = new Set(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** Remembers the methods of each path while routes are added. Call the result after the last one. */
export function answerOtherMethods(app: FastifyInstance): () => void {
  for (const method of METHODS)
    if (!WITH_BODY.has(method)) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  answerConnect(app);
  const byPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = byPath.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    byPath.set(url, known);
  });
  return () => {
    for (const [url, known] of [...byPath]) refuseOthers(app, url, known);
  };
}

/** A method that a path does not support gets 405 with Allow (RFC 9110, 15.5.6), not 404. */
function refuseOthers(app: FastifyInstance, url: string, known: ReadonlySet<string>): void {
  const allow = [...known].sort().join(', ');
  app.route({
    url,
    // Fastify takes every method that was added to it, but its type has only the usual ones.
    method: METHODS.filter((method) => !known.has(method)) as HTTPMethods[],
    config: PUBLIC_PAGE,
    schema: { hide: true },
    // Before the body is read, because its content does not matter.
    onRequest: (request, reply) => {
      if (answerPreflight(request, reply, allow)) return;
      const message = `This path takes ${allow}.`;
      reply.header('allow', allow);
      sendFailure(request, reply, new Failure({ error: 'method_not_allowed', message }));
    },
    handler: () => {
      throw new Error('Answered before.');
    },
  });
}

/** CONNECT asks for a tunnel, so Node.js makes no response for it. It gets the same answer as any other method. */
function answerConnect(app: FastifyInstance): void {
  app.server.on('connect', (request) => {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.on('finish', () => socket.destroySoon());
    try {
      response.assignSocket(socket);
    } catch {
      // The answer to an earlier request is still being written, so nothing else may be sent.
      socket.destroy();
      return;
    }
    app.routing(request, response);
  });
}

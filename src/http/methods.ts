import { METHODS, ServerResponse } from 'node:http';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { answerPreflight } from './cors.ts';
import { sendFailure } from './errors.ts';

/** Those that Fastify reads a body of; an answer of 405 or 404 needs that of no other method. */
const WITH_BODY = new Set(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** Remembers the methods of each path as routes are added; call the result after the last one. */
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

/** A method that a path does not have is 405 with Allow (RFC 9110, 15.5.6), not 404. */
function refuseOthers(app: FastifyInstance, url: string, known: ReadonlySet<string>): void {
  const allow = [...known].sort().join(', ');
  app.route({
    url,
    // Fastify takes every method that was added to it, and its type knows the usual ones alone.
    method: METHODS.filter((method) => !known.has(method)) as HTTPMethods[],
    config: { access: 'public' },
    schema: { hide: true },
    // Before the body is read: what it holds does not matter.
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

/** CONNECT asks for a tunnel, so Node.js makes no response for it; it is answered as any other method. */
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
      // An answer to a request before it is still under way, and nothing may come in between.
      socket.destroy();
      return;
    }
    app.routing(request, response);
  });
}

import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { sendFailure } from './errors.ts';

const METHODS: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Remembers the methods of each path as routes are added; call the result after the last one. */
export function answerOtherMethods(app: FastifyInstance): () => void {
  const byPath = new Map<string, Set<HTTPMethods>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = byPath.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each as HTTPMethods);
    byPath.set(url, known);
  });
  return () => {
    for (const [url, known] of [...byPath]) refuseOthers(app, url, known);
  };
}

/** A method that a path does not have is 405 with Allow (RFC 9110, 15.5.6), not 404. */
function refuseOthers(app: FastifyInstance, url: string, known: ReadonlySet<HTTPMethods>): void {
  const allow = [...known].sort().join(', ');
  app.route({
    url,
    method: METHODS.filter((method) => !known.has(method)),
    config: { access: 'public' },
    schema: { hide: true },
    // Before the body is read: what it holds does not matter.
    onRequest: (request, reply) => {
      const message = `This path takes ${allow}.`;
      reply.header('allow', allow);
      sendFailure(request, reply, new Failure({ error: 'method_not_allowed', message }));
    },
    handler: () => {
      throw new Error('Answered before.');
    },
  });
}

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';

/**
 * One line for each answer where LOG_LEVEL is `debug`, for whoever develops. The query is left out: it says
 * whom and what people search.
 */
export function logRequests(app: FastifyInstance, logger: FastifyBaseLogger): void {
  if (logger.level !== 'debug') return;
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url } = request;
    const path = url.split('?', 1)[0];
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    logger.debug({ method, path, status: reply.statusCode, ms }, 'request');
    done();
  });
}

/**
 * Says in the same log which names an operation did not know and ignored: a client that misspells one would look for long.
 * Undefined at any other level.
 */
export function logIgnoredNames(logger: FastifyBaseLogger) {
  if (logger.level !== 'debug') return undefined;
  return ({ method, routeOptions }: FastifyRequest, ignored: readonly string[]): void =>
    logger.debug({ method, path: routeOptions.url, ignored }, 'request has names that are not known');
}

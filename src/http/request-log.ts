import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';

/**
 * With LOG_LEVEL=debug, logs one line for each answer, for developers. The query is left out, because it shows what
 * people search.
 */
export function logRequests(app: FastifyInstance, logger: FastifyBaseLogger): void {
  if (logger.level !== 'debug') return;
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, url } = request;
    const path = url.split('?', 1)[0];
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    logger.debug({ method, path, status: reply.statusCode, ms, request_id: id }, 'request');
    done();
  });
}

/**
 * At the same level, logs the unknown names that an operation ignored, so that a misspelt name is found. Undefined at
 * other levels.
 */
export function logIgnoredNames(logger: FastifyBaseLogger) {
  if (logger.level !== 'debug') return undefined;
  return ({ method, routeOptions }: FastifyRequest, ignored: readonly string[]): void =>
    logger.debug({ method, path: routeOptions.url, ignored }, 'request has names that are not known');
}

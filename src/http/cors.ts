import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers that a page may read in answers, and send in requests, in addition to those that every page may. */
const EXPOSED = ['ETag', 'Link', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
const ALLOWED = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID';
/** Seconds for which a browser remembers the permission. */
const MAX_AGE = 600;

/**
 * Lets pages of these origins read the answers, in the browsers of their visitors (docs/decisions/interface.md).
 * Without origins it does nothing. `more` headers of answers are those of some routes only.
 */
export function allowOrigins(origins: readonly string[], more: readonly string[] = []) {
  const exposed = [...EXPOSED, ...more].sort().join(', ');
  const allowed = new Set(origins);
  return ({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void => {
    if (allowed.size === 0) return;
    reply.header('vary', 'Origin');
    if (origin === undefined || !allowed.has(origin)) return;
    reply
      .header('access-control-allow-origin', origin)
      // For cookies (docs/decisions/sessions.md). No browser accepts this header
      // with the origin "*".
      .header('access-control-allow-credentials', 'true')
      .header('access-control-expose-headers', exposed);
  };
}

/**
 * Answers a browser that asks whether a page may send its request. `methods` are those of the path. Returns false,
 * without an answer, if the request is no such question or its origin is not allowed.
 */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): boolean {
  const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  if (!asks || !reply.hasHeader('access-control-allow-origin')) return false;
  reply
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', ALLOWED)
    .header('access-control-max-age', MAX_AGE)
    .code(204)
    .send();
  return true;
}

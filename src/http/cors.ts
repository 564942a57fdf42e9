import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a page may read beside the body, and send beside what every page may. */
const EXPOSED = 'Link, Retry-After, Stoa-Index-Lag, X-Request-Id';
const ALLOWED = 'Authorization, Content-Type';
/** Seconds for which a browser need not ask again. */
const MAX_AGE = 600;

/**
 * Lets pages of these origins read the answers, in the browsers of those who visit them (decisions 0044).
 * Without origins it does nothing.
 */
export function allowOrigins(origins: readonly string[]) {
  const allowed = new Set(origins);
  return ({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void => {
    if (allowed.size === 0) return;
    reply.header('vary', 'Origin');
    if (origin === undefined || !allowed.has(origin)) return;
    reply
      .header('access-control-allow-origin', origin)
      // For the cookie of a sign-in that asked for one (decisions 0060). No browser takes this with the origin "*".
      .header('access-control-allow-credentials', 'true')
      .header('access-control-expose-headers', EXPOSED);
  };
}

/**
 * Answers the question of a browser whether a page may send its request; `methods` are those of the path.
 * False, and nothing is answered, where it is not that question or comes from an origin that is not allowed.
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

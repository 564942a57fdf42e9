import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { bearerToken } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { LoginResult, refreshLink } from './contract.ts';
import { requireOwnPage } from './own-page.ts';
import type { SessionParts } from './parts.ts';
import { refresh } from './refresh.ts';
import { clearRefreshCookie, refreshCookieOf, setRefreshCookie } from './refresh-cookie.ts';
import { isRefreshToken } from './token-shape.ts';

export function refreshRoute(app: App, parts: SessionParts): void {
  app.post(
    '/api/auth/refresh',
    {
      config: { access: 'other_token', limits: ['refusedRefreshes'], shows: 'own', ignoresUnknown: true },
      schema: {
        operationId: 'refresh',
        tags: ['auth'],
        security: [{ refreshToken: [] }, { refreshCookie: [] }],
        summary: 'Refresh the access token',
        description:
          'Takes the refresh token in the Authorization header and replaces it by a new one. Without that header it takes the cookie, and the answer has the next one.',
        response: answers(
          LoginResult,
          'A new access token and the next refresh token.',
          401,
          403,
          ...BODY_FAILURES,
        ),
      },
      links: refreshLink,
    },
    async (request, reply) => {
      const isByHeader = request.headers.authorization !== undefined;
      const cookie = isByHeader ? undefined : refreshCookieOf(request);
      if (cookie !== undefined) return refreshByCookie(parts, cookie, request, reply);
      if (!isByHeader && hasRefreshToken(request.body)) throw belongsInHeader();
      return ok(await refresh(parts, { text: bearerToken(request), isCookie: false }, originOf(request)));
    },
  );
}

/** Many services take it there, under many names. */
function hasRefreshToken(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Object.values(body).some((value) => typeof value === 'string' && isRefreshToken(value));
}

function belongsInHeader(): Failure {
  const message =
    'The refresh token belongs in the header "Authorization: Bearer <refresh token>", not in the body.';
  return new Failure({ error: 'token_missing', message });
}

/** A token that leads to nothing any more takes its cookie with it. Whoever is to try again later keeps the cookie. */
async function refreshByCookie(
  parts: SessionParts,
  cookie: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  requireOwnPage(request, parts.ownPages);
  try {
    const result = await refresh(parts, { text: cookie, isCookie: true }, originOf(request));
    return ok(setRefreshCookie(reply, result));
  } catch (error) {
    if (error instanceof Failure && error.code === 401) clearRefreshCookie(request, reply);
    throw error;
  }
}

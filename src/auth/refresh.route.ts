import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { bearerToken } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { requireOwnPage } from './browser/own-page.ts';
import { clearRefreshCookie, refreshCookieOf, setRefreshCookie } from './browser/refresh-cookie.ts';
import { LoginResult, refreshLink, takesCredentials } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { refresh } from './refresh.ts';

export function refreshRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/refresh',
    {
      ...takesCredentials,
      config: { access: 'refresh_token' },
      schema: {
        operationId: 'refresh',
        tags: ['auth'],
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
      return ok(await refresh(parts, bearerToken(request), originOf(request)));
    },
  );
}

/** A token that leads to nothing any more takes its cookie with it. Whoever is to try again later keeps the cookie. */
async function refreshByCookie(
  parts: AuthParts,
  cookie: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  requireOwnPage(request, parts.ownPages);
  try {
    return ok(setRefreshCookie(reply, await refresh(parts, cookie, originOf(request))));
  } catch (error) {
    if (error instanceof Failure && error.code === 401) clearRefreshCookie(request, reply);
    throw error;
  }
}

import { Type } from 'typebox';
import { bearerToken, callerOf } from '../http/access.ts';
import { answers, errorAnswers, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import type { App } from '../http/server.ts';
import { toUser, User } from '../users/contract.ts';
import { Credentials, JwkSet, LoginResult, normaliseCredentials, Registration } from './contract.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import type { AuthParts } from './parts.ts';
import { refresh } from './refresh.ts';
import { register } from './register.ts';

const SHARED = {
  bodyLimit: LIMITS.authBody,
  preValidation: async (request: { body: unknown }) => normaliseCredentials(request.body),
};

export function authRoutes(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/register',
    {
      ...SHARED,
      config: { access: 'public' },
      schema: {
        tags: ['auth'],
        summary: 'Register a user',
        body: Registration,
        response: answers(User, 'The new user. Registering does not sign in.'),
      },
    },
    async ({ body }) => ok(toUser(await register(parts, body))),
  );

  app.post(
    '/api/auth/login',
    {
      ...SHARED,
      config: { access: 'public' },
      schema: {
        tags: ['auth'],
        summary: 'Log in',
        body: Credentials,
        response: answers(LoginResult, 'An access token and a refresh token.', 401),
      },
    },
    async ({ body }) => ok(await login(parts, body)),
  );

  app.post(
    '/api/auth/refresh',
    {
      ...SHARED,
      config: { access: 'refresh_token' },
      schema: {
        tags: ['auth'],
        summary: 'Refresh the access token',
        description: 'Takes the refresh token in the Authorization header and replaces it by a new one.',
        security: [{ refreshToken: [] }],
        response: answers(LoginResult, 'A new access token and the next refresh token.', 401),
      },
    },
    async (request) => ok(await refresh(parts, bearerToken(request))),
  );

  app.post(
    '/api/auth/logout',
    {
      ...SHARED,
      config: { access: 'signed_in' },
      schema: {
        tags: ['auth'],
        summary: 'Log out',
        description: 'Ends the session of the access token: its tokens are refused from now on.',
        security: [{ accessToken: [] }],
        response: answers(Type.Object({}), 'The session has ended.', 401),
      },
    },
    async (request) => {
      await logout(parts, callerOf(request).sessionId);
      return ok({});
    },
  );

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public' },
      schema: {
        tags: ['service'],
        summary: 'The keys that access tokens are signed with',
        description: 'Not in the envelope: a JWK set (RFC 7517), for libraries that check tokens.',
        response: { ...errorAnswers(), 200: JwkSet },
      },
    },
    async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').send(parts.accessTokens.jwks),
  );
}

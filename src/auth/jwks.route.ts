import { errorAnswers } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { JwkSet } from './contract.ts';
import type { AuthParts } from './parts.ts';

export function jwksRoute(app: App, { accessTokens }: Pick<AuthParts, 'accessTokens'>): void {
  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getKeys',
        tags: ['service'],
        summary: 'The keys that access tokens are signed with',
        description: 'Not in the envelope: a JWK set (RFC 7517), for libraries that check tokens.',
        response: { ...errorAnswers(), 200: JwkSet },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'public, max-age=300').send(accessTokens.jwks),
  );
}

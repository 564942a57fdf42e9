import swagger from '@fastify/swagger';
import type { App } from './server.ts';

const DESCRIPTION = `Accounts and content behind one small HTTP interface.

Every response is an envelope: \`code\` equals the HTTP status, \`data\` is an object. A failure carries
\`message\` (one sentence for a person) and \`data.error\` (a stable name for a program).`;

/** Collects the routes that are added from now on; the result gives the OpenAPI 3.1 document, once ready. */
export async function collectOpenapi(app: App, version: string): Promise<() => string> {
  await app.register(swagger, {
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => String($id ?? `schema-${index}`),
    },
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Stoa', version, description: DESCRIPTION, license: { name: 'MIT' } },
      servers: [{ url: '/' }],
      tags: [
        { name: 'auth', description: 'Registering, logging in and out, refreshing.' },
        { name: 'users', description: 'The accounts.' },
        { name: 'content', description: 'Content items.' },
        { name: 'service', description: 'The state of the service.' },
      ],
      components: {
        securitySchemes: {
          accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          refreshToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'The refresh token, not the access token.',
          },
        },
      },
    },
  });
  return () => `${JSON.stringify(app.swagger(), null, 2)}\n`;
}

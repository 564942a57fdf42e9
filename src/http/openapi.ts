import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import type { Access } from './access.ts';
import { withoutNul } from './document-texts.ts';
import type { App } from './server.ts';

const DESCRIPTION = `Accounts and content behind one small HTTP interface.

Every response is an envelope: \`code\` equals the HTTP status, \`data\` is an object. A failure carries
\`message\` (one sentence for a person) and \`data.error\` (a stable name for a program).

A member of a body or a parameter of a query that an operation does not know is a 400 that names it and those that there are. Seven operations ignore it instead, because their clients were there first: \`login\`, \`register\`, \`refresh\`,
\`listUsers\`, \`createContent\`, \`updateContent\` and \`deleteContent\`. No text has NUL or half a surrogate pair.
An operation names every answer that it gives. What is refused before there is an operation has the same envelope: 400 for what is no
HTTP, 404 and 405 for a path or a method that there is not, 408 for headers that take longer than 10 seconds,
417 for an Expect other than 100-continue, 429 for too many requests under way,
431 for headers over 16 KiB.`;

/** A route states who may call it once (`config.access`); what that asks for in the header follows. */
const SECURITY: Record<Access, NonNullable<FastifySchema['security']>> = {
  public: [],
  signed_in: [{ accessToken: [] }],
  admin: [{ accessToken: [] }],
  refresh_token: [{ refreshToken: [] }, { refreshCookie: [] }],
};

/** Where an access token is good, a personal access token is too. */
function withPersonal(security: NonNullable<FastifySchema['security']>) {
  const takesToken = security.some((each) => 'accessToken' in each);
  return takesToken ? [...security, { personalToken: [] }] : security;
}

/** Collects the routes that are added from now on; the result gives the OpenAPI 3.1 document, once ready. */
export async function collectOpenapi(app: App, version: string): Promise<() => string> {
  await app.register(swagger, {
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => String($id ?? `schema-${index}`),
    },
    transform: ({ schema, url, route }) => {
      const { access, programs } = route.config ?? {};
      if (!access) return { url, schema };
      const security = schema?.security ?? SECURITY[access];
      return { url, schema: { ...schema, security: programs ? withPersonal(security) : security } };
    },
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Stoa', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      tags: [
        {
          name: 'auth',
          description:
            'Registering, logging in and out, refreshing, sessions, passkeys, personal access tokens.',
        },
        { name: 'users', description: 'The accounts.' },
        { name: 'content', description: 'Content items.' },
        { name: 'audit', description: 'What happened that concerns security.' },
        { name: 'service', description: 'The state of the service.' },
      ],
      components: {
        securitySchemes: {
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The access token of a login or a refresh.',
          },
          personalToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'A personal access token (POST /api/auth/tokens), for programs.',
          },
          refreshToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'The refresh token, not the access token.',
          },
          refreshCookie: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-stoa_refresh',
            description:
              'The refresh token of a sign-in with `refresh_token_in: "cookie"`. It counts for pages of this service and of CORS_ORIGINS alone.',
          },
        },
      },
    },
  });
  return () => `${JSON.stringify(withoutNul(app.swagger()), null, 2)}\n`;
}

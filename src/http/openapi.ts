import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { Access } from './declaration.ts';
import { asWide } from './document-integers.ts';
import { withoutNul } from './document-texts.ts';
import type { App } from './server.ts';

const DESCRIPTION = `Accounts and content behind one small HTTP interface.

Every response is an envelope: \`code\` equals the HTTP status, \`data\` is an object. A failure carries
\`message\` (one sentence for a person) and \`data.error\` (a stable name for a program). The public keys, the stream
of events and a 304, which has no body, are no envelopes.

An unknown member of a body or parameter of a query gets a 400 with its name and the known names. Seven operations
ignore it instead, because their clients are older than this rule: \`login\`, \`register\`, \`refresh\`,
\`listUsers\`, \`createContent\`, \`updateContent\` and \`deleteContent\`. No text has NUL or half a surrogate pair.
Every operation lists its answers. A request that reaches no operation gets the same envelope: 400 for invalid
HTTP, 404 and 405 for an unknown path or method, 408 for headers that take longer than 10 seconds,
417 for an Expect other than 100-continue, 429 for too many requests under way,
431 for headers over 16 KiB.`;

/** The security of an operation in the document, by its `config.access`. */
const SECURITY: Record<Access, NonNullable<FastifySchema['security']>> = {
  public: [],
  signed_in: [{ accessToken: [] }],
  admin: [{ accessToken: [] }],
  refresh_token: [{ refreshToken: [] }, { refreshCookie: [] }],
};

/** Adds tickets where they are accepted. */
function withTicket(security: NonNullable<FastifySchema['security']>) {
  return [...security, { eventTicket: [] }];
}

/** Adds personal access tokens where access tokens are accepted. */
function withPersonal(security: NonNullable<FastifySchema['security']>) {
  const takesToken = security.some((each) => 'accessToken' in each);
  return takesToken ? [...security, { personalToken: [] }] : security;
}

const LINK = {
  Link: Type.String({
    description:
      'The pages `first`, `prev`, `next` and `last` (RFC 8288), or of a walk `first` and `next`. Absent where it would be longer than 2 KiB.',
  }),
};

/** Declares the Link header of a list (paging.ts): of each route that takes `per_page`. */
function withLink(schema: FastifySchema | undefined): FastifySchema {
  const { response = {}, querystring } = Object(schema);
  if (!Object.hasOwn(Object(Object(querystring).properties), 'per_page')) return { ...schema };
  const page = { ...response[200], headers: { ...response[200].headers, ...LINK } };
  return { ...schema, response: { ...response, 200: page } };
}

/** Collects the routes that are added after this call. Once ready, the result gives the OpenAPI 3.1 document. */
export async function collectOpenapi(app: App, version: string): Promise<() => string> {
  await app.register(swagger, {
    // It would read the address of the server below as an absolute one.
    stripBasePath: false,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => String($id ?? `schema-${index}`),
    },
    transform: ({ schema, url, route }) => {
      const { access, programs, ticket } = route.config ?? {};
      if (!access) return { url, schema };
      const usual = schema?.security ?? SECURITY[access];
      const security = programs ? withPersonal(usual) : usual;
      return { url, schema: { ...withLink(schema), security: ticket ? withTicket(security) : security } };
    },
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Stoa', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      // Relative to the address of the document, so that it holds below a path of the host.
      servers: [{ url: '.' }],
      tags: [
        {
          name: 'auth',
          description:
            'Registering, logging in and out, refreshing, sessions, passkeys, personal access tokens.',
        },
        { name: 'users', description: 'The accounts.' },
        { name: 'events', description: 'Changes as they are made.' },
        { name: 'webhooks', description: 'Where changes are sent.' },
        { name: 'content', description: 'Content items.' },
        { name: 'audit', description: 'Security events.' },
        { name: 'service', description: 'The state of the service.' },
        {
          name: 'system',
          description: 'What admins see and do of the installation: its figures, checks and backups.',
        },
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
          eventTicket: {
            type: 'apiKey',
            in: 'query',
            name: 'ticket',
            description: 'A ticket of POST /api/events/tickets, for a browser that sends no token.',
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
              'The refresh token of a sign-in with `refresh_token_in: "cookie"`. Only pages of this service and of CORS_ORIGINS may use it.',
          },
        },
      },
    },
  });
  return () => `${JSON.stringify(withoutNul(app.swagger()), asWide, 2)}\n`;
}

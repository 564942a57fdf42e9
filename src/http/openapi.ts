import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { asWide } from './document-integers.ts';
import { withoutNul } from './document-texts.ts';
import type { App } from './server.ts';

type OpenApi = NonNullable<FastifyDynamicSwaggerOptions['openapi']>;
type Schemes = NonNullable<NonNullable<OpenApi['components']>['securitySchemes']>;

/** What the document says of the rooms, which nothing here knows. */
export interface DocumentParts {
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The ways to say who asks, by name. */
  readonly schemes: Schemes;
  /** Those that a route takes, by the member of its `config` that says so. */
  readonly schemeOf: Readonly<Record<'access' | 'programs' | 'ticket', string>>;
}

type Security = NonNullable<FastifySchema['security']>;

/**
 * The security of an operation. A route for another token than the access token names its schemes itself, and so does a
 * public one that shows more to accounts.
 */
function securityOf(
  {
    schema,
    config: { access, programs, ticket },
  }: Pick<RouteOptions, 'schema'> & { readonly config: FastifyContextConfig },
  { schemeOf }: DocumentParts,
): Security {
  const usual = schema?.security ?? (access === 'public' ? [] : [{ [schemeOf.access]: [] }]);
  const takesToken = usual.some((each) => schemeOf.access in each);
  return [
    ...usual,
    ...(programs && takesToken ? [{ [schemeOf.programs]: [] }] : []),
    ...(ticket ? [{ [schemeOf.ticket]: [] }] : []),
  ];
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
export async function collectOpenapi(app: App, version: string, parts: DocumentParts): Promise<() => string> {
  await app.register(swagger, {
    // It would read the address of the server below as an absolute one.
    stripBasePath: false,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => String($id ?? `schema-${index}`),
    },
    transform: ({ schema, url, route }) => {
      const { config } = route;
      if (!config?.access) return { url, schema };
      return { url, schema: { ...withLink(schema), security: securityOf({ schema, config }, parts) } };
    },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Stoa',
        version,
        description: parts.description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // Relative to the address of the document, so that it holds below a path of the host.
      servers: [{ url: '.' }],
      tags: [...parts.tags],
      components: { securitySchemes: { ...parts.schemes } },
    },
  });
  return () => `${JSON.stringify(withoutNul(app.swagger()), asWide, 2)}\n`;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Failure, invalid } from '../domain/failure.ts';
import { beforeValidation } from './before-validation.ts';
import { MAX_MISTAKES, printableOr, unknownName } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The members that the body may have. `nameWhatIsUnknown` sets them. */
    members?: ReadonlySet<string>;
  }
}

/** The names that the schema of an operation knows. */
interface Names {
  readonly properties?: object;
}

/**
 * Operations that are added after this call refuse members and parameters that their schema does not know. Routes
 * outside the document, such as pages, take any query. `ignored` gets the names that the other operations ignored.
 */
export function nameWhatIsUnknown(
  app: FastifyInstance,
  ignored?: (request: FastifyRequest, names: readonly string[]) => void,
): void {
  app.addHook('onRoute', (route) => {
    const { schema, config } = route;
    if (schema?.operationId === undefined || !config) return;
    const body = schema.body as Names | undefined;
    const query = (schema.querystring ?? { type: 'object', properties: {} }) as Names;
    const members = new Set(Object.keys(body?.properties ?? {}));
    route.config = { ...config, members };
    if (!config.ignoresUnknown) {
      route.schema = { ...schema, querystring: closed(query), ...(body && { body: closed(body) }) };
      if (!body) beforeValidation(route, refuseMembers);
    } else if (ignored) {
      const parameters = new Set(Object.keys(query.properties ?? {}));
      beforeValidation(route, (request, _reply, done) => {
        const names = [...unknownIn(request.body, members), ...unknownIn(request.query, parameters)];
        if (names.length > 0)
          ignored(
            request,
            names.slice(0, MAX_MISTAKES).map((name) => printableOr(name, '(a long or unprintable name)')),
          );
        done();
      });
    }
  });
}

function closed(schema: Names): object {
  return { ...schema, additionalProperties: false };
}

/** An operation without a schema of its body accepts only an empty one. */
function refuseMembers({ body }: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  done(refusalOfUnknown('body', body, new Set()));
}

/** Refuses the names in a body or a query that are not known. Undefined where all are. */
export function refusalOfUnknown(
  part: 'body' | 'querystring',
  value: unknown,
  known: ReadonlySet<string>,
): Failure | undefined {
  const [first, ...others] = unknownIn(value, known)
    .slice(0, MAX_MISTAKES)
    .map((name) => unknownName(part, name, [...known]));
  return first && invalid([first, ...others]);
}

function unknownIn(value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).filter((name) => !known.has(name));
}

import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { invalid } from '../domain/failure.ts';
import { MAX_MISTAKES, told, unknownName } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True for the seven operations that clients had before there was a document: such a client may send names that we
     * do not know. Every other operation refuses an unknown name (decisions 0073).
     */
    ignoresUnknown?: boolean;
    /** The members that the body may have; `nameWhatIsUnknown` sets it. */
    members?: ReadonlySet<string>;
  }
}

/** What a schema of an operation says of the names that it knows. */
interface Names {
  readonly properties?: object;
}

/**
 * Operations that are added from now on refuse a member or a parameter that they do not know, by their schema. What is not
 * in the document, such as a page, takes any query. `ignored` is told what the others ignored; without it nobody is.
 */
export function nameWhatIsUnknown(
  app: FastifyInstance,
  ignored?: (request: FastifyRequest, names: readonly string[]) => void,
): void {
  app.addHook('onRoute', (route) => {
    const { schema } = route;
    if (schema?.operationId === undefined) return;
    const body = schema.body as Names | undefined;
    const query = (schema.querystring ?? { type: 'object', properties: {} }) as Names;
    const members = new Set(Object.keys(body?.properties ?? {}));
    route.config = { ...route.config, members };
    if (!route.config.ignoresUnknown) {
      route.schema = { ...schema, querystring: closed(query), ...(body && { body: closed(body) }) };
      if (!body) check(route, refuseMembers);
    } else if (ignored) {
      const parameters = new Set(Object.keys(query.properties ?? {}));
      check(route, (request, _reply, done) => {
        const names = [...unknownIn(request.body, members), ...unknownIn(request.query, parameters)];
        if (names.length > 0)
          ignored(
            request,
            names.slice(0, MAX_MISTAKES).map((name) => told(name, '(a long name)')),
          );
        done();
      });
    }
  });
}

function closed(schema: Names): object {
  return { ...schema, additionalProperties: false };
}

type Check = (request: FastifyRequest, reply: unknown, done: (error?: Error) => void) => void;

function check(route: RouteOptions, step: Check): void {
  route.preValidation = [step, ...[route.preValidation ?? []].flat()];
}

/** An operation without a schema of its body takes an empty one at most. */
function refuseMembers({ body }: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  const [first, ...others] = unknownIn(body, new Set())
    .slice(0, MAX_MISTAKES)
    .map((name) => unknownName('body', name, []));
  done(first && invalid([first, ...others]));
}

function unknownIn(value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).filter((name) => !known.has(name));
}

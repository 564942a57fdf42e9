import { METHODS, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { answerPreflight } from './cors.ts';
import { PUBLIC_PAGE } from './declaration.ts';
import { sendFailure } from './errors.ts';

/** Methods for which Fastify reads a body. */
const WITH_BODY = new Set(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Remembers the methods of each path while routes are added. Call the result after the last one: one route takes what no
 * other takes. A route of each path for each other method was half of what a start adds.
 */
export function answerOtherMethods(app: FastifyInstance): () => void {
  for (const method of METHODS)
    if (!WITH_BODY.has(method)) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  answerConnect(app);
  const byPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = byPath.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    byPath.set(url, known);
  });
  return () => {
    const paths = [...byPath].map(([url, known]) => ({
      url,
      known,
      allow: [...known].sort().join(', '),
      pattern: new RegExp(`^${url.split('/').map(patternOf).join('/')}$`),
    }));
    for (const path of paths) {
      const taken = methodsTaken(path, paths);
      if (taken.length > 0) refuse(app, path.url, taken, () => path.allow);
    }
    refuse(app, '*', METHODS, allowedAt(paths));
  };
}

interface Path {
  readonly url: string;
  /** The methods of its routes. */
  readonly known: ReadonlySet<string>;
  readonly allow: string;
  readonly pattern: RegExp;
}

/** Methods that the path lacks, and that the router would take for another path with a parameter in the same place. */
function methodsTaken({ url, known }: Path, paths: readonly Path[]): string[] {
  const others = paths.filter((other) => other.url !== url && other.pattern.test(url));
  return [...new Set(others.flatMap((other) => [...other.known]))].filter((method) => !known.has(method));
}

/**
 * What the header Allow says of the path of a request, as the router finds it: a name goes before a parameter. Undefined
 * where the path has the method: the router has refused a part of it, which is longer than any of ours.
 */
function allowedAt(paths: readonly Path[]) {
  // A parameter (`:id`) is sorted behind each name.
  const order = (url: string) => url.replaceAll(':', '\uffff');
  const known = paths.toSorted((one, other) => (order(one.url) < order(other.url) ? -1 : 1));
  return ({ url, method }: FastifyRequest) => {
    const path = pathIn(url);
    const found = path === undefined ? undefined : known.find(({ pattern }) => pattern.test(path));
    return found?.known.has(method) ? undefined : found?.allow;
  };
}

/** The path of a target, which may name a host before it (RFC 9112, 3.2.2). Undefined where it cannot be decoded. */
function pathIn(target: string): string | undefined {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

/** A parameter may be empty, as the router has it. */
function patternOf(part: string): string {
  if (part === '*') return '.*';
  return part.startsWith(':') ? '[^/]*' : RegExp.escape(part);
}

/** A method that a path does not support gets 405 with Allow (RFC 9110, 15.5.6), not 404. */
function refuse(
  app: FastifyInstance,
  url: string,
  methods: readonly string[],
  allowOf: (request: FastifyRequest) => string | undefined,
): void {
  app.route({
    url,
    // Fastify takes every method that was added to it, but its type has only the usual ones.
    method: methods as HTTPMethods[],
    config: PUBLIC_PAGE,
    schema: { hide: true },
    // Before the body is read, because its content does not matter.
    onRequest: (request, reply) => {
      const allow = allowOf(request);
      if (allow === undefined) {
        reply.callNotFound();
        return;
      }
      if (answerPreflight(request, reply, allow)) return;
      const message = `This path takes ${allow}.`;
      reply.header('allow', allow);
      sendFailure(request, reply, new Failure({ error: 'method_not_allowed', message }));
    },
    handler: () => {
      throw new Error('Answered before.');
    },
  });
}

/** CONNECT asks for a tunnel, so Node.js makes no response for it. It gets the same answer as any other method. */
function answerConnect(app: FastifyInstance): void {
  app.server.on('connect', (request) => {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.on('finish', () => socket.destroySoon());
    try {
      response.assignSocket(socket);
    } catch {
      // The answer to an earlier request is still being written, so nothing else may be sent.
      socket.destroy();
      return;
    }
    app.routing(request, response);
  });
}

import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Caller, Scope } from '../domain/account.ts';
import type { LimitName } from '../domain/limits.ts';
import { sampleOf } from './sample.ts';

/**
 * Who may call a route: `public` anyone, `signed_in` any account, `admin` admins, `other_token` the holder of a token
 * that is no access token, which the route itself checks.
 */
export type Access = 'public' | 'signed_in' | 'admin' | 'other_token';

/**
 * Whose rows a route could show: `nothing` of any account, the caller's `own`, what the caller may change (`moderated`:
 * hidden content too, of anybody for editors and admins), what is `visible` to everybody who may call it, or `all`,
 * hidden rows and those of any account included.
 */
export type Shows = 'nothing' | 'own' | 'moderated' | 'visible' | 'all';

declare module 'fastify' {
  /** What a route declares. The service does not start if a route leaves out one of the first three. */
  interface FastifyContextConfig {
    access: Access;
    /** The limits that count its requests, in addition to those of all requests. The route or its verb calls them. */
    limits: readonly LimitName[];
    shows: Shows;
    /** The scope that the token of a program needs here. A route without one is for people. */
    programs?: Scope;
    /**
     * True if an account that must set something up first (`Obstacle`) may call the route. Other routes are closed to
     * it.
     */
    beforeSetUp?: boolean;
    /**
     * True for an operation that had clients before there was a document. Such a client may send names that we do not
     * know. Every other operation refuses an unknown name (docs/decisions/interface.md).
     */
    ignoresUnknown?: boolean;
    /** Recognises a caller without a token by the `ticket` of the query. Fails as `Authenticate`. */
    ticket?: (ticket: string) => Promise<Caller>;
    /** The most brackets and commas of its body, where a body needs more than any other (http/structure.ts). */
    bodyParts?: number;
    /**
     * How many times its body counts among the bytes under way, where the route keeps copies while it waits: 1 if
     * absent.
     */
    bodyCopies?: number;
  }
}

export const PUBLIC_PAGE = { access: 'public', limits: [], shows: 'nothing' } as const;

/** Checks each route that is added after this call: its declaration, and the sample of its body in its schema. */
export function requireDeclarations(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const mistake = mistakeOf(route) ?? mistakeOfBody(app, route);
    if (mistake) throw new Error(`The route ${String(route.method)} ${route.url} ${mistake}.`);
  });
}

function mistakeOf({ config, method, schema }: RouteOptions): string | undefined {
  const missing = (['access', 'limits', 'shows'] as const).filter((name) => config?.[name] === undefined);
  if (!config || missing.length > 0) return `does not state its ${missing.join(', ')}`;
  if (config.shows === 'all' && config.access !== 'admin')
    return 'shows rows of all accounts, and is not for admins only';
  if (config.access === 'other_token' && !schema?.security)
    return 'takes another token than the access token, and its schema does not name that';
  const isAboutCaller = config.shows === 'own' || config.shows === 'moderated';
  if (isAboutCaller && config.access === 'public' && [method].flat().includes('GET'))
    return 'shows rows of the account that asks, and does not ask who that is';
  // A token that may only read opens nothing that makes a change, whatever a route declares.
  if (config.programs === 'read' && [method].flat().some((each) => each !== 'GET' && each !== 'HEAD'))
    return 'changes something, and says that reading is enough';
  return undefined;
}

function mistakeOfBody(app: FastifyInstance, { schema }: RouteOptions): string | undefined {
  if (!schema?.body) return undefined;
  const sample = sampleOf(schema.body, (name) => app.getSchema(name));
  return typeof sample === 'string' ? `takes a body without an example: ${sample}` : undefined;
}

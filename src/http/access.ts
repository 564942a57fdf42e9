import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Role } from '../domain/account.ts';
import { type Asker, accountAsker } from '../domain/admission/fair-queue.ts';
import { Failure, forbidden, tokenInvalid } from '../domain/failure.ts';
import { sourceOf } from '../domain/source.ts';
import { requireDeclarations } from './declaration.ts';
import { challengeToken } from './errors.ts';
import { LIMITS } from './limits.ts';
import { originOf } from './origin.ts';

/**
 * Checks an access token. Resolves with the caller, or fails with `token_invalid`, `token_expired` or `token_revoked`.
 * A token that any instance revoked is refused within a second.
 */
export type Authenticate = (token: string) => Promise<Caller>;

/** The caller of a request, without the role: it may have changed by the time the write runs. */
type RequestCaller = Omit<Caller, 'role'>;

/** What a route says of those who call it. */
type Declared = Pick<FastifyContextConfig, 'programs' | 'beforeSetUp' | 'ticket'>;

declare module 'fastify' {
  interface FastifyRequest {
    caller: RequestCaller | null;
  }
  interface FastifyInstance {
    authenticate: Authenticate;
    /** The account that makes the request, as a route with this declaration asks for it. */
    identify(request: FastifyRequest, declared: Declared): Promise<Caller>;
  }
}

/** Returns the failure of a caller who may not call a route with this declaration, whatever the role. */
export type Obstacle = (caller: Caller, declared: Declared) => Failure | undefined;

/** Guards every route that is added after this call, by the `config` of the route (declaration.ts). */
export function requireAccess(
  app: FastifyInstance,
  authenticate: Authenticate,
  obstacles: readonly Obstacle[],
): void {
  app.decorate('authenticate', authenticate);
  app.decorateRequest('caller', null);
  requireDeclarations(app);
  app.decorate('identify', async (request: FastifyRequest, declared: Declared) => {
    const { ticket: takesTicket } = declared;
    const ticket = takesTicket && ticketOf(request);
    const caller = await (takesTicket && ticket !== undefined
      ? takesTicket(ticket)
      : authenticate(bearerToken(request)));
    for (const inTheWay of obstacles) {
      const failure = inTheWay(caller, declared);
      if (failure) throw failure;
    }
    return caller;
  });
  app.addHook('onRoute', (route) => {
    const { config } = route;
    if (config?.access !== 'signed_in' && config?.access !== 'admin') return;
    const required: Role | undefined = config.access === 'admin' ? 'admin' : undefined;
    route.onRequest = async (request: FastifyRequest) => {
      const caller = await app.identify(request, config);
      if (required && caller.role !== required) throw forbidden(`Only the role "${required}" may do this.`);
      request.caller = caller;
    };
  });
}

/** The `ticket` of the query, where the request has no token. */
function ticketOf({ headers, query }: FastifyRequest): string | undefined {
  const { ticket } = Object(query);
  return headers.authorization === undefined && typeof ticket === 'string' ? ticket : undefined;
}

const BEARER = /^bearer ([^ ]+)$/i;

/**
 * The token of `Authorization: Bearer <token>` (RFC 6750), with one space. Fails with `token_missing`, or with
 * `token_invalid` if it is longer than any of ours.
 */
export function bearerToken(request: FastifyRequest): string {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (token) {
    if (token.length > LIMITS.token) throw tokenInvalid();
    return token;
  }
  throw new Failure({
    error: 'token_missing',
    message: 'Send a token in the header "Authorization: Bearer <token>"; log in to get one.',
  });
}

/** The account that makes the request. Only for routes whose access is `signed_in` or `admin`. */
export function callerOf(request: FastifyRequest): RequestCaller {
  if (!request.caller) throw new Error(`The route ${request.routeOptions.url} has no caller.`);
  return request.caller;
}

/**
 * The same on a public route, for an answer that only accounts get. Fails as a route does whose access is `signed_in`.
 */
export async function signedInOn(request: FastifyRequest): Promise<RequestCaller> {
  return request.caller ?? request.server.identify(request, request.routeOptions.config);
}

/** Who asks for a write, from where, and when, in milliseconds since 1970. Only for the same routes. */
export function askedBy(request: FastifyRequest, clock: () => number) {
  return { caller: callerOf(request), origin: originOf(request), now: clock() };
}

/**
 * The asker of an expensive request: the account if the request has a valid token, even on a public route, else the
 * source. An invalid token is no failure here, and neither is an obstacle: such an account reads what a stranger reads.
 * The header of `reply` says that the token is invalid, where the answer depends on the account.
 */
export async function askerOf(request: FastifyRequest, reply?: FastifyReply): Promise<Asker> {
  const userId = request.caller?.userId ?? (await accountIfAny(request, reply));
  const source = sourceOf(request.ip);
  return userId === null ? { name: source, isSignedIn: false } : { ...accountAsker({ userId }), source };
}

async function accountIfAny(request: FastifyRequest, reply?: FastifyReply): Promise<number | null> {
  if (request.headers.authorization === undefined) return null;
  try {
    return (await request.server.identify(request, { programs: 'read' })).userId;
  } catch (error) {
    if (!(error instanceof Failure && (error.code === 401 || error.code === 403))) throw error;
    if (reply) challengeToken(reply, error);
    return null;
  }
}

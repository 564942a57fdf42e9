import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller, Role, Scope } from '../domain/account.ts';
import { Failure, forbidden, tokenInvalid } from '../domain/failure.ts';
import { type MfaRequired, mustHaveSecondFactor } from '../domain/second-factor.ts';
import { sourceOf } from '../domain/source.ts';
import { LIMITS } from './limits.ts';

/**
 * Who may call a route. Each route states one, or the service does not start:
 * `public` anybody, `signed_in` any account, `admin` admins, `refresh_token` the holder of a
 * refresh token, which the route itself checks.
 */
export type Access = 'public' | 'signed_in' | 'admin' | 'refresh_token';

/**
 * The port to whatever knows tokens. Resolves with the caller, or fails with `token_invalid`,
 * `token_expired` or `token_revoked`; a session that ended anywhere is refused within a second.
 */
export type Authenticate = (token: string) => Promise<Caller>;

/** Who makes a request, without the role: by the time that a change is written, it may be another one. */
type RequestCaller = Omit<Caller, 'role'>;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /**
     * The scope that a personal access token needs here. A route that states none takes no such token: it is for
     * people alone.
     */
    programs?: Scope;
    /**
     * True where an account that must have a second factor, and has none yet, may call the route too: to set one up. A
     * route that does not say so is closed to it.
     */
    withoutSecondFactor?: boolean;
  }
  interface FastifyRequest {
    caller: RequestCaller | null;
  }
  interface FastifyInstance {
    authenticate: Authenticate;
  }
}

const FOR_PEOPLE =
  'This is a personal access token, which may not do this; log in, and send the access token.';

/** Guards every route that is added from now on by what it states in `config.access`. */
export function requireAccess(
  app: FastifyInstance,
  authenticate: Authenticate,
  mfaRequired: MfaRequired,
): void {
  app.decorate('authenticate', authenticate);
  app.decorateRequest('caller', null);
  app.addHook('onRoute', (route) => {
    const access = accessOf(route);
    const programs = programsOf(route);
    if (access !== 'signed_in' && access !== 'admin') return;
    const isOpenBefore = route.config?.withoutSecondFactor === true;
    const required: Role | undefined = access === 'admin' ? 'admin' : undefined;
    route.onRequest = async (request: FastifyRequest) => {
      const caller = await authenticate(bearerToken(request));
      if (caller.scope !== null) requireScope(caller.scope, programs);
      if (!isOpenBefore) requireSetUp(caller, mfaRequired);
      if (required && caller.role !== required) throw forbidden(`Only the role "${required}" may do this.`);
      request.caller = caller;
    };
  });
}

function accessOf(route: RouteOptions): Access {
  const access = route.config?.access;
  if (!access)
    throw new Error(`The route ${String(route.method)} ${route.url} does not state who may call it.`);
  return access;
}

/** A token that may only read opens nothing that changes something, whatever a route says. */
function programsOf({ config, method, url }: RouteOptions): Scope | undefined {
  const programs = config?.programs;
  if (programs === 'read' && [method].flat().some((each) => each !== 'GET' && each !== 'HEAD'))
    throw new Error(`The route ${String(method)} ${url} changes something, and says that reading is enough.`);
  return programs;
}

function requireScope(scope: Scope, needed: Scope | undefined): void {
  if (needed === undefined) throw tokenInvalid(FOR_PEOPLE);
  if (needed === 'write' && scope === 'read')
    throw forbidden('This token may only read; send one with the scope "write".');
}

function requireSetUp({ role, hasSecondFactor }: Caller, mfaRequired: MfaRequired): void {
  if (hasSecondFactor || !mustHaveSecondFactor(mfaRequired, role)) return;
  throw new Failure({
    error: 'second_factor_setup_required',
    message:
      'Your account must have a second factor; set one up with POST /api/auth/totp or a passkey first.',
  });
}

const BEARER = /^bearer ([^ ]+)$/i;

/**
 * The token of `Authorization: Bearer <token>` (RFC 6750), with one space. Fails with `token_missing`, or
 * with `token_invalid` when it is longer than any of ours.
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

/** The account that makes the request; only for routes whose access is `signed_in` or `admin`. */
export function callerOf(request: FastifyRequest): RequestCaller {
  if (!request.caller) throw new Error(`The route ${request.routeOptions.url} has no caller.`);
  return request.caller;
}

/**
 * Who asks for something that costs more than most: the account, on a route that anybody may call too where a good
 * token came along; else the source of the request. A token that is not good makes a stranger, and no failure.
 */
export async function askerOf(request: FastifyRequest): Promise<{ name: string; isSignedIn: boolean }> {
  const userId = request.caller?.userId ?? (await accountIfAny(request));
  if (userId === null) return { name: sourceOf(request.ip), isSignedIn: false };
  return { name: `account ${userId}`, isSignedIn: true };
}

async function accountIfAny(request: FastifyRequest): Promise<number | null> {
  if (request.headers.authorization === undefined) return null;
  try {
    return (await request.server.authenticate(bearerToken(request))).userId;
  } catch (error) {
    if (error instanceof Failure && error.code === 401) return null;
    throw error;
  }
}

import { assembleOnce } from '../../src/cli/openapi.ts';
import type { Access, Shows } from '../../src/http/declaration.ts';
import { findRoute, type Route } from './contract.ts';

/** What a route says of itself (src/http/declaration.ts). */
interface Declaration {
  readonly access: Access;
  readonly limits: readonly string[];
  readonly shows: Shows;
  readonly programs?: string;
  readonly beforeSetUp?: boolean;
  readonly ignoresUnknown?: boolean;
}

export interface RegisteredRoute extends Declaration {
  readonly method: string;
  /** As the router has it: /api/content/:id. */
  readonly url: string;
}

/** A route of the document, and what it says of itself. */
export type DeclaredRoute = Route & Declaration & { readonly operationId: string };

const known = new Map<string, Promise<RegisteredRoute[]>>();

/**
 * Every route of a service with these settings, but for those that refuse other methods and those for HEAD. One service
 * is assembled for all test files of a process that ask for the same.
 */
export async function registeredRoutes(settings: Record<string, string> = {}): Promise<RegisteredRoute[]> {
  const key = JSON.stringify(settings);
  const routes = known.get(key) ?? routesOf(settings);
  known.set(key, routes);
  return [...(await routes)];
}

async function routesOf(settings: Record<string, string>): Promise<RegisteredRoute[]> {
  const routes: RegisteredRoute[] = [];
  await assembleOnce(async (bare) => {
    bare.addHook('onRoute', ({ method, url, config }) => {
      if (typeof method === 'string' && method !== 'HEAD' && config) routes.push({ method, url, ...config });
    });
  }, settings);
  return routes;
}

/** Those of them that the document describes. */
export async function declaredRoutes(settings: Record<string, string> = {}): Promise<DeclaredRoute[]> {
  return (await registeredRoutes(settings)).flatMap((declared) => {
    const route = findRoute(declared.method, declared.url.replaceAll(/:(\w+)/g, '{$1}'));
    return route ? [{ ...declared, ...route, operationId: route.operation.operationId }] : [];
  });
}

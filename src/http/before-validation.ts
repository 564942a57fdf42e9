import type { preValidationHookHandler, RouteOptions } from 'fastify';

/** Runs these steps before the route's own and before validation. A step that is added later runs earlier. */
export function beforeValidation(route: RouteOptions, ...steps: readonly preValidationHookHandler[]): void {
  if (steps.length > 0) route.preValidation = [...steps, ...[route.preValidation ?? []].flat()];
}

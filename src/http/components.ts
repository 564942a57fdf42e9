import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';

/**
 * Makes a component of each schema that has a name (`$id`): routes that are added from now on refer to it
 * where they used it. The document then has it once, and it is compiled once. Two schemas of one name
 * stop the start.
 */
export function shareNamedSchemas(app: FastifyInstance): void {
  const shared = new Map<string, object>();

  function withReferences(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(withReferences);
    if (typeof part !== 'object' || part === null) return part;
    const copy = Object.fromEntries(Object.entries(part).map(([key, each]) => [key, withReferences(each)]));
    const { $id: name } = copy;
    return typeof name === 'string' ? referenceTo(name, copy) : copy;
  }

  function referenceTo(name: string, schema: object): { $ref: string } {
    const known = shared.get(name);
    if (!known) {
      shared.set(name, schema);
      app.addSchema(schema);
    } else if (!isDeepStrictEqual(known, schema)) {
      throw new Error(`Two different schemas have the name "${name}".`);
    }
    return { $ref: `${name}#` };
  }

  app.addHook('onRoute', (route) => {
    if (route.schema) route.schema = Object(withReferences(route.schema));
  });
}

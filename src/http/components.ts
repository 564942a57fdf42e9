import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';

/**
 * Makes a component of each named schema (`$id`), to which routes that are added after this call refer. So the document
 * has the schema once, and it is compiled once. Two different schemas of one name stop the start.
 */
export function shareNamedSchemas(app: FastifyInstance): void {
  const shared = new Map<string, object>();
  /** The result for each schema that was seen, because routes share most schemas. */
  const done = new WeakMap<object, unknown>();

  function withReferences(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(withReferences);
    if (typeof part !== 'object' || part === null) return part;
    if (!done.has(part)) done.set(part, copyOf(part));
    return done.get(part);
  }

  function copyOf(part: object): object {
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

import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

/**
 * Compiles each schema of an answer once, however many routes and statuses have it: nearly all of them
 * are the same few errors, and each compilation costs the start a millisecond or two. A schema refers to
 * others by names that are unique in the service (`shareNamedSchemas`), so that its text says all of it.
 * The compiler is given those others alone: it would check and copy all schemas of the service each time.
 */
export function serializers(): SerializerFactory {
  const build = SerializerSelector();
  const compiled = new Map<string, ReturnType<SerializerCompiler>>();
  return (sharedSchemas, options) => (route) => {
    const key = JSON.stringify(route.schema);
    const serialize = compiled.get(key) ?? build(schemasIn(key, Object(sharedSchemas)), options)(route);
    compiled.set(key, serialize);
    return serialize;
  };
}

/** The shared schemas that this text of a schema refers to, and those that they refer to. */
function schemasIn(
  text: string,
  shared: Readonly<Record<string, unknown>>,
  found: Record<string, unknown> = {},
): Record<string, unknown> {
  for (const [, name = ''] of text.matchAll(/"\$ref":"([^"#]+)#"/g)) {
    if (Object.hasOwn(found, name)) continue;
    found[name] = shared[name];
    schemasIn(JSON.stringify(shared[name]), shared, found);
  }
  return found;
}

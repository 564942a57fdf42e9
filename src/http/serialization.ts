import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

/**
 * Compiles each schema of an answer once, however many routes and statuses have it: nearly all of them
 * are the same few errors, and each compilation costs the start a millisecond or two. A schema refers to
 * others by names that are unique in the service (`shareNamedSchemas`), so that its text says all of it.
 */
export function serializers(): SerializerFactory {
  const build = SerializerSelector();
  const compiled = new Map<string, ReturnType<SerializerCompiler>>();
  return (sharedSchemas, options) => {
    const compile = build(sharedSchemas, options);
    return (route) => {
      const key = JSON.stringify(route.schema);
      const serialize = compiled.get(key) ?? compile(route);
      compiled.set(key, serialize);
      return serialize;
    };
  };
}

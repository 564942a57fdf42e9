import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

/**
 * Compiles each schema of an answer once, when the first such answer is sent. Nearly all of them are the same few
 * errors, and each compilation takes a millisecond or two. A schema refers to others by names that are unique in the
 * service (`shareNamedSchemas`), so its text identifies it. The compiler gets only those others: it would check and
 * copy all schemas of the service each time.
 */
export function serializers(): SerializerFactory {
  const build = SerializerSelector();
  const compiled = new Map<string, ReturnType<SerializerCompiler>>();
  return (sharedSchemas, options) => (route) => {
    let serialize: ReturnType<SerializerCompiler> | undefined;
    return (answer) => {
      serialize ??= compile();
      return serialize(answer);
    };

    function compile(): ReturnType<SerializerCompiler> {
      const key = JSON.stringify(route.schema);
      const known = compiled.get(key);
      if (known) return known;
      const built = build(schemasIn(key, Object(sharedSchemas)), options)(route);
      compiled.set(key, built);
      return built;
    }
  };
}

/** The shared schemas that this text of a schema refers to, directly or through others. */
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

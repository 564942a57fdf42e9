import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';
import { schemasIn } from './schemas-in.ts';

const compiled = new Map<string, ReturnType<SerializerCompiler>>();

/**
 * Compiles each schema of an answer once, when the first such answer is sent. Nearly all of them are the same few
 * errors, and each compilation takes a millisecond or two. The texts of a schema and of the others that it refers to
 * identify it, in all services of the process. The compiler gets only those others: it would check and copy all schemas
 * of the service each time.
 */
export function serializers(): SerializerFactory {
  const build = SerializerSelector();
  return (sharedSchemas, options) => (route) => {
    let serialize: ReturnType<SerializerCompiler> | undefined;
    return (answer) => {
      serialize ??= compile();
      return serialize(answer);
    };

    function compile(): ReturnType<SerializerCompiler> {
      const text = JSON.stringify(route.schema);
      const shared = schemasIn(text, Object(sharedSchemas));
      const key = text + JSON.stringify(shared);
      const known = compiled.get(key);
      if (known) return known;
      const built = build(shared, options)(route);
      compiled.set(key, built);
      return built;
    }
  };
}

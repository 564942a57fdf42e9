/**
 * The shared schemas of an app, by their names. The bucket of Fastify copies all of them for each route, which was a
 * tenth of the assembly of an app. `app` is what Fastify's type wants of `add`.
 */
export function schemaBucket<App>(app: () => App) {
  return (ofParent: unknown) => {
    const schemas: Record<string, unknown> = { ...Object(ofParent) };
    return {
      add(schema: unknown): App {
        const { $id: name } = Object(schema);
        if (typeof name !== 'string') throw new Error('A shared schema has no name.');
        if (Object.hasOwn(schemas, name)) throw new Error(`Two shared schemas have the name "${name}".`);
        schemas[name] = schema;
        return app();
      },
      getSchema: (name: string) => schemas[name],
      getSchemas: () => schemas,
    };
  };
}

import type { FastifyInstance } from 'fastify';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** Additional members in the `data` of failures, by status. The room whose failures have them provides them. */
export type FailureMembers = Readonly<Record<number, TProperties>>;

/** Adds the members to the schema of every failure with these statuses, in routes that are added after this call. */
export function addFailureMembers(app: FastifyInstance, members: FailureMembers): void {
  /** Routes share the schemas of failures, and so share these. */
  const extendedBy = new Map<TSchema, TSchema>();
  app.addHook('onRoute', (route) => {
    const response: Record<string, TSchema> = Object(route.schema?.response);
    const extended = Object.entries(members).flatMap(([code, more]) => {
      const failure = response[code];
      if (!failure || !Type.IsObject(failure)) return [];
      const known = extendedBy.get(failure) ?? withMembers(failure, more);
      extendedBy.set(failure, known);
      return [[code, known]];
    });
    if (extended.length > 0)
      route.schema = { ...route.schema, response: { ...response, ...Object.fromEntries(extended) } };
  });
}

function withMembers({ properties, required: _, type: __, ...options }: TObject, more: TProperties): TSchema {
  const { data } = properties;
  if (!data || !Type.IsObject(data)) throw new Error('A failure has no data.');
  const { request_id, ...others } = data.properties;
  return Type.Object(
    { ...properties, data: Type.Object({ ...others, ...more, ...(request_id && { request_id }) }) },
    options,
  );
}

import type { TSchema } from 'typebox';
import type { Builder, Fields } from './field.ts';
import type { NameOf } from './field-types.ts';
import { memberOf, select } from './fields.ts';

/** The owner's export of a table: all columns except those that say why not. */
export function exportOf<F extends Fields>(fields: F) {
  const exported = select(fields, ({ notExported }) => notExported === undefined).map(([, field]) => ({
    name: field.column.name,
    toMember: field.exported?.toMember ?? memberOf(field),
    schema: field.exported?.schema ?? field.schema,
  }));
  return {
    columns: exported.map(({ name }) => name) as NameOf<F[keyof F]['column']>[],
    toItem: (row: object): object => {
      const values = row as Readonly<Record<string, unknown>>;
      return Object.fromEntries(exported.map(({ name, toMember }) => [name, toMember(values[name])]));
    },
    /** The members, without the descriptions of their answers. */
    schemas: (t: Builder): Record<string, TSchema> =>
      Object.fromEntries(
        exported.map(({ name, schema }) => {
          const shown = schema?.(t) ?? t.Unknown();
          const { description: _, examples: __, ...plain } = Object(shown);
          return [name, t.IsOptional(shown) ? t.Optional(plain) : plain];
        }),
      ),
  };
}

import type { TSchema } from 'typebox';
import type { AnyField, Builder, Fields } from './field.ts';
import type { RulesPatched } from './field-types.ts';
import { rulesFor } from './fields.ts';

/** Does null in a merge patch make the column what it is where nothing is said? */
export function isEmptiedByNull({ otherwise, refusesNull }: AnyField): boolean {
  return otherwise !== undefined && !refusesNull;
}

/** The members of a merge patch. */
export function rulesPatched<F extends Fields, Setter extends string>(fields: F, setter: Setter, t: Builder) {
  const rules: Readonly<Record<string, TSchema>> = rulesFor(fields, setter, t);
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => {
      const { [name]: field } = fields;
      return [name, field && isEmptiedByNull(field) ? orNull(rule, t) : rule];
    }),
  ) as RulesPatched<F, Setter>;
}

function orNull(rule: TSchema & { readonly type?: unknown; readonly enum?: readonly unknown[] }, t: Builder) {
  const type = [...new Set([rule.type, 'null'].flat())];
  return t.Optional(t.Unsafe({ ...rule, type, ...(rule.enum && { enum: [...rule.enum, null] }) }));
}

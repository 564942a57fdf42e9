import type { Fields, Rule } from './field.ts';
import type { CarriedFields, NotCarried } from './field-types.ts';
import { select } from './fields.ts';

type NotNamed<F extends Fields, Setter extends string, Own> = Exclude<NotCarried<F, Setter>, Own>;

/**
 * The fields that a line of an import or an export has: those that a body of these setters gives, by the rule of the
 * first of them, but for those that say why not (`notImported`). The line of an older export lacks a new field, so each
 * is optional. `own` names the other fields that people set, which the line has in ways of its own. The compiler refuses
 * a field that is neither.
 */
export function carriedFields<F extends Fields, const Setter extends string, Own extends string>(
  fields: F,
  setters: readonly Setter[],
  _own: readonly Own[] & ([NotNamed<F, Setter, Own>] extends [never] ? unknown : NotNamed<F, Setter, Own>),
) {
  const ruleOf = (setBy: Readonly<Record<string, Rule>> = {}) =>
    setters.map((setter) => setBy[setter]).find((rule) => rule !== undefined);
  return Object.fromEntries(
    select(fields, ({ setBy, notImported }) => notImported === undefined && ruleOf(setBy) !== undefined).map(
      ([name, field]) => {
        const rule: Rule = (t) => t.Optional(ruleOf(field.setBy)?.(t) ?? t.Unknown());
        return [name, { ...field, setBy: { import: rule } }];
      },
    ),
  ) as CarriedFields<F, Setter>;
}

/** The members of a JSON schema that are used here. */
interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/**
 * A valid body from the examples of its schema: that of the whole, or one of each required member. Where an example is
 * missing, returns a sentence that says which. `named` finds the schema of a reference.
 */
export function sampleOf(
  body: unknown,
  named: (name: string) => unknown,
): Readonly<Record<string, unknown>> | string {
  const find = (part: unknown): Schema => {
    const schema = Object(part) as Schema;
    return schema.$ref === undefined ? schema : find(named(schema.$ref.replace(/^.*\/|#$/g, '')));
  };
  const { examples, required = [], properties = {} } = find(body);
  if (examples?.length) return Object(examples[0]);
  if (required.length === 0) return 'the schema needs one of the whole, because no member has to be there';
  const members = required.map((name) => {
    const { examples: [example] = [], enum: [first] = [] } = find(properties[name]);
    return [name, example ?? first] as const;
  });
  const without = members.find(([, example]) => example === undefined);
  return without ? `the member "${without[0]}" has none` : Object.fromEntries(members);
}

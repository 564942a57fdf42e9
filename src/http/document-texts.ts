/** The members of an OpenAPI document that are used here. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  pattern?: string;
}

interface Operation {
  readonly parameters?: readonly { readonly schema?: Schema }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Document {
  readonly paths?: object;
  readonly components?: { readonly schemas?: object };
}

const WITHOUT_NUL = '^[^\\u0000]*$';

/**
 * Adds to each text of a request the rule of all texts, as JSON Schema: it has no NUL. `json.ts` checks this in any
 * body, and the format `storable` in a query, so no schema of an operation has to say so.
 */
export function withoutNul<Doc extends Document>(document: Doc): Doc {
  const named: Record<string, Schema> = Object(document.components?.schemas);
  const seen = new Set<Schema>();

  function say(schema: Schema | undefined): void {
    if (!schema || seen.has(schema)) return;
    seen.add(schema);
    if (schema.$ref !== undefined) say(named[schema.$ref.replace(/^.*\//, '')]);
    const isText = [schema.type].flat().includes('string') && !schema.enum && schema.const === undefined;
    if (isText && schema.pattern === undefined) schema.pattern = WITHOUT_NUL;
    for (const member of Object.values(schema.properties ?? {})) say(member);
    say(schema.items);
  }

  for (const path of Object.values(document.paths ?? {}))
    for (const operation of Object.values<Operation>(path)) {
      for (const { schema } of operation.parameters ?? []) if (schema?.format === 'storable') say(schema);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) say(schema);
    }
  return document;
}

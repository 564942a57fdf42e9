import fc from 'fast-check';
import { ANY_CHARACTER } from '../any-character.ts';
import { schemaNamed } from '../contract.ts';

/**
 * Values for a JSON Schema, as JSON text: what JSON can say and a JavaScript object cannot (a member twice,
 * `__proto__`, 1e400, half a surrogate pair) is a text like any other.
 */
export type Json = string;

/** What openapi.json says of a value in a request. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
}

/** Lengths of our formats, in characters; the document tells them in words. */
const FORMATS: Readonly<Record<string, { readonly min: number; readonly max: number }>> = {
  username: { min: 3, max: 20 },
  email: { min: 6, max: 254 },
  password: { min: 8, max: 256 },
  'date-time': { min: 20, max: 35 },
  'display-name': { min: 0, max: 50 },
  name: { min: 1, max: 100 },
  'content-text': { min: 0, max: 1024 * 1024 },
  storable: { min: 0, max: 100 },
  base64url: { min: 1, max: 100 },
  'content-fields': { min: 1, max: 200 },
  'language-tag': { min: 0, max: 64 },
  slug: { min: 1, max: 128 },
};

const NAME_LETTER = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');
/** Letters that fold, combine, hide, or end a text somewhere. */
const NASTY_LETTER = fc.constantFrom(
  ...['\0', '\u0001', '\n', '\r', '\t', ' ', '"', "'", '\\', '%', '_', '*', ';', '--', '$1', '{', '<', '&'],
  ...['\ud800', '\udfff', '\u{10ffff}', '\ufeff', '\ufffe', '\u200b', '\u202e', '\u2028', '\u3164', '\u115f'],
  ...['\u0301', '\u0316', '\u0345', '\u0130', '\u1e9e', '\ufb01', '\uac00', '\u{1f600}', '\u0660', '\ufdfa'],
);
/** Any half of a pair too. */
const ANY_LETTER = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

/** Text of that many units at most; at random, mostly short. */
export function text(max = 40): fc.Arbitrary<string> {
  const of = (unit: fc.Arbitrary<string>) => fc.string({ unit, maxLength: max });
  return fc.oneof(of(NAME_LETTER), of(NASTY_LETTER), of(ANY_LETTER), fc.string({ maxLength: max }));
}

/** Mostly what the schema takes, often what lies at an edge or one beyond, at times something else. */
export function jsonFor(schema: Schema, known: readonly string[] = []): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 14, arbitrary: valid(schema, known) },
    { weight: 2, arbitrary: fc.constantFrom(...edges(schema), ...beyond(schema)) },
    { weight: 1, arbitrary: ANY_JSON },
  );
}

/** Of any type, with numbers that no variable holds. */
const ANY_JSON: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', '""', '"1"', '[]', '{}', '[[]]', '{"":""}', '"__proto__"', '"\\ud800"'],
  ),
  fc.constantFrom(...['0', '-0', '-1', '1.0', '1.5', '1e2', '1e400', '-1e400', '5e-324', '9007199254740993']),
  fc.constantFrom(
    ...['9223372036854775807', '9223372036854775808', '1'.repeat(400), `0.${'0'.repeat(400)}1`],
  ),
  text().map((each) => JSON.stringify(each)),
  fc.json({ maxDepth: 3 }),
);

function valid(schema: Schema, known: readonly string[]): fc.Arbitrary<Json> {
  if (schema.$ref !== undefined) return valid(schemaNamed(schema.$ref), known);
  if (schema.enum) return fc.constantFrom(...schema.enum.map((each) => JSON.stringify(each)));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => valid({ ...schema, type }, known)));
  if (schema.type === undefined && schema.anyOf)
    return fc.oneof(...schema.anyOf.map((each) => valid(each, known)));
  switch (schema.type) {
    case 'null':
      return fc.constant('null');
    case 'object':
      return objectFor(schema);
    case 'array':
      return fc
        .array(jsonFor(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 8, 8) })
        .map((items) => `[${items.join(',')}]`);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: 40 }).map(String);
    case 'string':
      return fc
        .oneof(...(known.length > 0 ? [fc.constantFrom(...known)] : []), validText(schema))
        .map((each) => JSON.stringify(each));
    default:
      throw new Error(`Nobody has said how to make a value for ${JSON.stringify(schema)}.`);
  }
}

function validText({ format, minLength = 0, maxLength = 256 }: Schema): fc.Arbitrary<string> {
  const name = fc.string({ unit: NAME_LETTER, minLength: 3, maxLength: 20 });
  switch (format) {
    case 'username':
      return name;
    case 'email':
      return name.map((each) => `${each}@example.org`);
    case 'date-time':
      return fc.date({ noInvalidDate: true, min: new Date(0) }).map((each) => each.toISOString());
    case 'base64url':
      return fc
        .uint8Array({ minLength: 1, maxLength: 40 })
        .map((bytes) => Buffer.from(bytes).toString('base64url'));
    case 'content-fields':
      return fc.constantFrom('id', 'title,content', 'meta,author', 'id,id');
    case 'language-tag':
      return fc.constantFrom('', 'en', 'pt-BR', 'sr-Latn-RS');
    case 'slug':
      return fc.string({ unit: NAME_LETTER, minLength: 3, maxLength: 20 }).map((each) => each.toLowerCase());
    case 'password':
      return fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 });
    default: {
      lengthsOf({ ...(format === undefined ? {} : { format }) });
      const units = { minLength, maxLength: Math.min(maxLength, 40) };
      return fc.oneof(
        fc.string({ ...units, unit: 'grapheme' }),
        fc.string({ ...units, unit: ANY_CHARACTER }),
      );
    }
  }
}

function lengthsOf({ format, minLength, maxLength }: Schema): { readonly min: number; readonly max: number } {
  if (format === undefined) return { min: minLength ?? 0, max: maxLength ?? 256 };
  const lengths = FORMATS[format];
  if (!lengths) throw new Error(`Nobody has said how to make a text of the format "${format}".`);
  return { min: minLength ?? lengths.min, max: maxLength ?? lengths.max };
}

function edges(schema: Schema): readonly Json[] {
  return atBounds(schema, 0);
}

function beyond(schema: Schema): readonly Json[] {
  return atBounds(schema, 1);
}

/** Values that lie at the bounds of the schema, or so many steps outside of them. */
function atBounds(schema: Schema, steps: number): readonly Json[] {
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return [String(BigInt(minimum) - BigInt(steps)), String(BigInt(maximum) + BigInt(steps))];
  }
  if (schema.type === 'string' && !schema.enum) {
    const { min, max } = lengthsOf(schema);
    const lengths = [Math.max(min - steps, 0), max + steps];
    return lengths.flatMap((length) => ['a', '\u{1f600}'].map((each) => JSON.stringify(each.repeat(length))));
  }
  if (schema.type === 'array') {
    const count = (schema.maxItems ?? 100) + steps;
    return ['[]', `[${Array.from({ length: count }, (_, index) => `"tag ${index}"`).join(',')}]`];
  }
  return ['""'];
}

/** Members mostly there, at times missing; at times another beside them, or one of them twice. */
function objectFor({ properties = {}, required = [] }: Schema): fc.Arbitrary<Json> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const there = jsonFor(schema).map((value) => [`${JSON.stringify(name)}:${value}`]);
    const weight = required.includes(name) ? 20 : 2;
    return fc.oneof({ weight, arbitrary: there }, { weight: 1, arbitrary: fc.constant([]) });
  });
  const names = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'id', ...Object.keys(properties)),
    text(),
  );
  const other = fc.tuple(names, ANY_JSON).map(([name, value]) => [`${JSON.stringify(name)}:${value}`]);
  const others = fc.oneof({ weight: 12, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: other });
  return fc.tuple(others, ...members).map((parts) => `{${parts.flat().join(',')}}`);
}

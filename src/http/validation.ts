import type { FastifySchemaValidationError } from 'fastify';
import { type Failure, type FieldError, invalid } from '../domain/failure.ts';
import { listed } from '../domain/listed.ts';

/** A string format of ours: what it accepts, and the message for other texts. */
export interface Format {
  readonly validate: (text: string) => boolean;
  /** Follows the name of the field: "must be ...". For a format of several rules, a function names the broken one. */
  readonly must: string | ((text: string) => string);
}

export type Formats = Readonly<Record<string, Format>>;

/** At most this many mistakes are reported: more help nobody, and an answer stays short. */
export const MAX_MISTAKES = 32;
/** Longer than any name of ours. A longer name is not repeated, so that an answer stays short. */
const MAX_TOLD = 100;
/** No control or format character and no line break: those would change how a message or a line of the log looks. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;

/** The message for a text that is not of the format. */
export function refusalOf({ must }: Format, text: string): string {
  return `${typeof must === 'string' ? must : must(text)}.`;
}

/** Ajv's findings as `validation_failed`: the first broken rule of each field, in plain words. */
export function validationFailure(
  errors: readonly FastifySchemaValidationError[],
  part: string,
  formats: Formats,
): Failure {
  const hasUnknown = errors.some(isUnknownName);
  const alternatives = errors.find(({ keyword }) => keyword === 'anyOf');
  if (alternatives && !hasUnknown) return noneGiven(errors, fieldOf(alternatives, part));
  const byField = new Map<string, FieldError>();
  for (const error of errors) {
    if (byField.size === MAX_MISTAKES) break;
    // A misspelt member (`titel`) would also break the rule that one of the members is needed.
    if (hasUnknown && error.schemaPath.includes('/anyOf')) continue;
    const mistake = isUnknownName(error) ? unknownIn(error, part) : mistakeOf(error, part, formats);
    if (!byField.has(mistake.field)) byField.set(mistake.field, mistake);
  }
  const [first, ...rest] = byField.values();
  if (!first) throw new Error('A failed validation names no error.');
  return invalid([first, ...rest]);
}

function isUnknownName({ keyword }: FastifySchemaValidationError): boolean {
  return keyword === 'additionalProperties';
}

function unknownIn(error: FastifySchemaValidationError, part: string): FieldError {
  const schema = 'parentSchema' in error ? Object(error.parentSchema) : {};
  return unknownName(part, String(error.params.additionalProperty), Object.keys(Object(schema.properties)));
}

/** The mistake of an unknown name. `part` of a request is its body or its query. */
export function unknownName(part: string, name: string, known: readonly string[]): FieldError {
  const what = part === 'querystring' ? 'parameter' : 'member';
  const field = printableOr(name, part);
  const unknown = field === part ? `${what} of that name` : `${what} "${field}"`;
  const there = known.length === 0 ? 'this operation takes none' : `there are ${listed(known)}`;
  const message = `There is no ${unknown} here; ${there}.`;
  return { field, rule: 'additionalProperties', message };
}

/** A name that a client sent, if it is short and printable, else `instead`. */
export function printableOr(name: string, instead: string): string {
  return name.length <= MAX_TOLD && PRINTABLE.test(name) ? name : instead;
}

function mistakeOf(error: FastifySchemaValidationError, part: string, formats: Formats): FieldError {
  const field = fieldOf(error, part);
  return { field, rule: error.keyword, message: `${field} ${sentence(error, formats)}` };
}

/** A schema with `anyOf` of `required` says that one of its members is needed. That is one mistake, not many. */
function noneGiven(errors: readonly FastifySchemaValidationError[], field: string): Failure {
  const names = errors.flatMap(({ params: { missingProperty } }) =>
    typeof missingProperty === 'string' ? [missingProperty] : [],
  );
  const message = `Send at least one of ${listed(names)}.`;
  return invalid([{ field, rule: 'minProperties', message }]);
}

function fieldOf({ instancePath, params }: FastifySchemaValidationError, part: string): string {
  const path = instancePath.slice(1).split('/').filter(Boolean);
  if (typeof params.missingProperty === 'string') path.push(params.missingProperty);
  // Of a repeated parameter the client knows the name only.
  return path.length === 0 ? part : path.slice(0, part === 'querystring' ? 1 : path.length).join('.');
}

function sentence(error: FastifySchemaValidationError, formats: Formats): string {
  const { keyword, params, message } = error;
  if (keyword === 'format') return formatSentence(error, formats);
  return SENTENCES[keyword]?.(params) ?? `${message ?? 'is wrong'}.`;
}

const SENTENCES: Record<string, (params: FastifySchemaValidationError['params']) => string> = {
  required: () => 'is required.',
  type: ({ type }) => `must be ${TYPES[String(type)] ?? String(type)}.`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}.`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}.`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}.`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}.`,
  uniqueItems: () => 'must not have an item twice.',
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'member')}.`,
  minimum: ({ limit }) => `must be ${limit} or more.`,
  maximum: ({ limit }) => `must be ${limit} or less.`,
  const: ({ allowedValue }) => `must be "${allowedValue}".`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().map(String).join(', ')}.`,
  // A pattern is for what comes from us or from a browser, such as an id that we made.
  pattern: () => WRONG_FORM,
};

const WRONG_FORM = 'has the wrong form.';

function counted(limit: unknown, what: string): string {
  return `${limit} ${what}${limit === 1 ? '' : 's'}`;
}

function formatSentence(error: FastifySchemaValidationError, formats: Formats): string {
  const format = formats[String(error.params.format)];
  // Ajv adds the value to its findings in verbose mode, which Fastify's type does not know.
  const text = 'data' in error && typeof error.data === 'string' ? error.data : '';
  return format ? refusalOf(format, text) : WRONG_FORM;
}

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
  'string,null': 'a string or null',
  'array,null': 'an array or null',
  'object,null': 'a JSON object or null',
};

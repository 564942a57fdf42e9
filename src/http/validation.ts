import type { FastifySchemaValidationError } from 'fastify';
import { type Failure, type FieldError, invalid } from '../domain/failure.ts';
import { isStorable } from '../domain/text.ts';

/** A string format of ours: what it accepts and the sentence for what it does not. */
export interface Format {
  readonly validate: (text: string) => boolean;
  /** Follows the name of the field: "must be ...". A format of several rules says which one the text breaks. */
  readonly must: string | ((text: string) => string);
}

export type Formats = Readonly<Record<string, Format>>;

/** As many mistakes are told at most: more help nobody, and an answer is short. */
export const MAX_MISTAKES = 32;
/** Longer than any name of ours. A longer one is not told, because an answer is short. */
const MAX_TOLD = 100;

/** What to tell whoever sent this text, which is not of the format. */
export function refusalOf({ must }: Format, text: string): string {
  return `${typeof must === 'string' ? must : must(text)}.`;
}

/** Ajv's findings as `validation_failed`: the first broken rule of each field, in a person's words. */
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
    // Whoever sent `titel` meant one of the members of which one is needed.
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

/** The mistake of a name that is none of the known ones; `part` of a request is its body or its query. */
export function unknownName(part: string, name: string, known: readonly string[]): FieldError {
  const what = part === 'querystring' ? 'parameter' : 'member';
  const field = told(name, part);
  const unknown = field === part ? `${what} of that name` : `${what} "${field}"`;
  const there = known.length === 0 ? 'this operation takes none' : `there are ${listed(known)}`;
  const message = `There is no ${unknown} here; ${there}.`;
  return { field, rule: 'additionalProperties', message };
}

/** A name that a client sent, where it is short and can be written; `instead` where not. */
export function told(name: string, instead: string): string {
  return name.length <= MAX_TOLD && isStorable(name) ? name : instead;
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function mistakeOf(error: FastifySchemaValidationError, part: string, formats: Formats): FieldError {
  const field = fieldOf(error, part);
  return { field, rule: error.keyword, message: `${field} ${sentence(error, formats)}` };
}

/** A schema says by `anyOf` of `required` that one of its members is needed: that is one mistake, not many. */
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
  return path.length === 0 ? part : path.join('.');
}

function sentence(error: FastifySchemaValidationError, formats: Formats): string {
  const { keyword, params, message } = error;
  switch (keyword) {
    case 'required':
      return 'is required.';
    case 'type':
      return `must be ${TYPES[String(params.type)] ?? String(params.type)}.`;
    case 'minLength':
      return `must have at least ${params.limit} characters.`;
    case 'maxLength':
      return `must have at most ${params.limit} characters.`;
    case 'minItems':
      return `must have at least ${params.limit} items.`;
    case 'maxItems':
      return `must have at most ${params.limit} items.`;
    case 'minimum':
      return `must be ${params.limit} or more.`;
    case 'maximum':
      return `must be ${params.limit} or less.`;
    case 'const':
      return `must be "${params.allowedValue}".`;
    case 'enum':
      return `must be one of ${[params.allowedValues].flat().join(', ')}.`;
    case 'format':
      return formatSentence(error, formats);
    default:
      return `${message ?? 'is wrong'}.`;
  }
}

function formatSentence(error: FastifySchemaValidationError, formats: Formats): string {
  const format = formats[String(error.params.format)];
  // Ajv puts the value into its findings when it is told to be verbose; Fastify's type does not know of that.
  const text = 'data' in error && typeof error.data === 'string' ? error.data : '';
  return format ? refusalOf(format, text) : 'has the wrong form.';
}

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  array: 'an array',
  object: 'a JSON object',
  'string,null': 'a string or null',
};

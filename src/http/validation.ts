import type { FastifySchemaValidationError } from 'fastify';
import { type Failure, type FieldError, invalid } from '../domain/failure.ts';

/** A string format of ours: what it accepts and the sentence for what it does not. */
export interface Format {
  readonly validate: (text: string) => boolean;
  /** Follows the name of the field: "must be ...". A format of several rules says which one the text breaks. */
  readonly must: string | ((text: string) => string);
}

export type Formats = Readonly<Record<string, Format>>;

/** As many mistakes are told at most: more help nobody, and an answer is short. */
const MAX_MISTAKES = 32;

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
  const alternatives = errors.find(({ keyword }) => keyword === 'anyOf');
  if (alternatives) return noneGiven(errors, fieldOf(alternatives, part));
  const byField = new Map<string, FieldError>();
  for (const error of errors) {
    if (byField.size === MAX_MISTAKES) break;
    const field = fieldOf(error, part);
    const message = `${field} ${sentence(error, formats)}`;
    if (!byField.has(field)) byField.set(field, { field, rule: error.keyword, message });
  }
  const [first, ...rest] = byField.values();
  if (!first) throw new Error('A failed validation names no error.');
  return invalid([first, ...rest]);
}

/** A schema says by `anyOf` of `required` that one of its members is needed: that is one mistake, not many. */
function noneGiven(errors: readonly FastifySchemaValidationError[], field: string): Failure {
  const names = errors.flatMap(({ params: { missingProperty } }) =>
    typeof missingProperty === 'string' ? [missingProperty] : [],
  );
  const message = `Send at least one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`;
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

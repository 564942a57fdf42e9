import { type TSchema, Type } from 'typebox';
import { FAILURE_CODES, type FailureName, type FieldError } from '../domain/failure.ts';

/** The envelope of every success: `code` is 200 and `data` an object (decisions 0001). */
export function ok<Data extends object>(data: Data): { code: 200; data: Data } {
  return { code: 200, data };
}

function Envelope<Data extends TSchema>(data: Data, description: string) {
  return Type.Object({ code: Type.Literal(200), data }, { description });
}

const FieldErrorSchema = Type.Object({
  field: Type.String({ description: 'The member or parameter that breaks the rule.' }),
  rule: Type.String({ description: 'The rule it breaks, as a JSON Schema keyword or a name of ours.' }),
  message: Type.String(),
});

function ErrorEnvelope(code: number): TSchema {
  const names = (Object.keys(FAILURE_CODES) as FailureName[]).filter((name) => FAILURE_CODES[name] === code);
  return Type.Object(
    {
      code: Type.Literal(code),
      message: Type.String({ description: 'One sentence for a person.' }),
      data: Type.Object({
        error: Type.Union(
          names.map((name) => Type.Literal(name)),
          { description: 'A stable name for a program.' },
        ),
        fields: Type.Optional(Type.Array(FieldErrorSchema)),
        request_id: Type.String(),
      }),
    },
    { $id: errorSchemaId(code), description: ERROR_DESCRIPTIONS[code] ?? 'Failure.' },
  );
}

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'The request parameters are wrong.',
  401: 'Unauthorized.',
  403: 'Insufficient permission.',
  404: 'The resource does not exist.',
  408: 'The request took too long to arrive.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests; Retry-After says when to try again.',
  431: 'The headers are too large.',
  500: 'Internal server error.',
  503: 'Not possible right now; Retry-After says when to try again.',
};

/** The error envelopes by status, for the server to know once; routes refer to them. */
export const ERROR_SCHEMAS: readonly TSchema[] = [...new Set<number>(Object.values(FAILURE_CODES))].map(
  ErrorEnvelope,
);

/** Statuses that HTTP itself can put in the way of any request. */
const ALWAYS = [400, 408, 413, 415, 431, 500, 503];

type Answers<Data extends TSchema> = { 200: ReturnType<typeof Envelope<Data>> };

/**
 * The `response` part of a route's schema: its success and the failures that it can answer with, beside
 * those that every route can. Serialises and documents alike.
 */
export function answers<Data extends TSchema>(
  data: Data,
  description: string,
  ...failures: number[]
): Answers<Data> {
  return { ...errorAnswers(...failures), 200: Envelope(data, description) };
}

/** The failures of a route whose success is not in the envelope. */
export function errorAnswers(...failures: number[]): Record<number, { description?: string; $ref: string }> {
  return Object.fromEntries(
    [...ALWAYS, ...failures].map((code) => [
      code,
      { description: ERROR_DESCRIPTIONS[code] ?? '', $ref: `${errorSchemaId(code)}#` },
    ]),
  );
}

function errorSchemaId(code: number): string {
  return `Error${code}`;
}

/** What every failure answers with. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: {
    readonly error: FailureName;
    readonly fields?: readonly FieldError[];
    readonly request_id: string;
  };
}

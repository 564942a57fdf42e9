import { type TSchema, Type } from 'typebox';
import {
  FAILURE_CODES,
  FAILURE_DETAILS,
  type FailureDetail,
  type FailureName,
  type FieldError,
} from '../domain/failure.ts';
import { OpenEnum } from './open-enum.ts';

/** The envelope of a success: `code` is 200 and `data` an object (docs/decisions/interface.md). */
export function ok<Data extends object>(data: Data): { code: 200; data: Data } {
  return { code: 200, data };
}

function Envelope<Data extends TSchema>(data: Data, description: string) {
  return Type.Object({ code: Type.Literal(200, { type: 'integer' }), data }, { description });
}

const FieldErrorSchema = Type.Object(
  {
    field: Type.String({ description: 'The member or parameter that breaks the rule.', examples: ['title'] }),
    rule: Type.String({
      description: 'The broken rule: a JSON Schema keyword, or a name of ours.',
      examples: ['required'],
    }),
    message: Type.String({ description: 'One sentence for a person.', examples: ['title is required.'] }),
  },
  { $id: 'FieldError', description: 'A member or parameter that is wrong.' },
);

/** The one status whose failures name the wrong members. */
const NAMES_FIELDS = 400;

/** The one status whose failures may say what is missing. */
const NAMES_DETAILS = 503;
const detailMembers = {
  details: Type.Optional(
    Type.Array(OpenEnum(FAILURE_DETAILS, 'A detail.'), {
      description:
        'Details of the failure. `storage_full`: nothing can be stored for lack of room. `storage_read_only`: nothing can be stored, because the storage takes no writes.',
    }),
  ),
};

/** One object for each status, which all routes share. */
const errorEnvelopes = new Map<number, TSchema>();

function ErrorEnvelope(code: number): TSchema {
  const known = errorEnvelopes.get(code) ?? newErrorEnvelope(code);
  errorEnvelopes.set(code, known);
  return known;
}

function newErrorEnvelope(code: number): TSchema {
  const names = (Object.keys(FAILURE_CODES) as FailureName[]).filter((name) => FAILURE_CODES[name] === code);
  return Type.Object(
    {
      code: Type.Literal(code, { type: 'integer' }),
      message: Type.String({ description: 'One sentence for a person.' }),
      data: Type.Object({
        error: OpenEnum(names, 'A stable name for a program.'),
        ...(code === NAMES_FIELDS ? { fields: Type.Optional(Type.Array(FieldErrorSchema)) } : {}),
        ...(code === NAMES_DETAILS ? detailMembers : {}),
        request_id: Type.String({ description: 'The same as in the header X-Request-Id.' }),
      }),
    },
    { $id: `Error${code}`, description: ERROR_DESCRIPTIONS[code] ?? 'Failure.' },
  );
}

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'The request parameters are wrong.',
  401: 'Unauthorized.',
  403: 'Insufficient permission.',
  404: 'The resource does not exist.',
  408: 'The body took too long to arrive.',
  409: 'A request that this one has to wait for is still under way; Retry-After says when to try again.',
  412: 'The resource was changed meanwhile: it is not at the version that the request names.',
  413: 'The body is too large.',
  415: 'The body is not of the media type that the operation takes, or it is compressed.',
  422: 'The Idempotency-Key was sent with another request.',
  429: 'Too many requests; Retry-After says when to try again.',
  431: 'The headers are larger than 16 KiB.',
  500: 'Internal server error.',
  503: 'Not possible right now; Retry-After says when to try again.',
};

/** The statuses of every operation: an unknown name, too many requests under way, or headers that are too large. */
const ALWAYS = [400, 429, 431] as const;
/** Failures of an operation that accepts a body, even if it needs none. */
export const BODY_FAILURES = [408, 413, 415] as const;

type Answers<Data extends TSchema> = { 200: ReturnType<typeof Envelope<Data>> };

/**
 * The `response` part of a route's schema: its success, the failures given, and those of every route that needs the
 * database. It both serialises and documents, so list only what the route can answer.
 */
export function answers<Data extends TSchema>(
  data: Data,
  description: string,
  ...failures: number[]
): Answers<Data> {
  return { ...errorAnswers(...failures, 500, 503), 200: Envelope(data, description) };
}

/** The same for a route that ends one thing and answers with its `id`. `what` names the thing in the document. */
export function answersEnded<Id extends TSchema>(id: Id, what: string, ...failures: number[]) {
  const ended = Type.Object({ id });
  return answers(ended, `The id of the ${what}.`, 401, 403, 404, ...BODY_FAILURES, ...failures);
}

/** The same for a route that needs only the process. */
export function answersAlways<Data extends TSchema>(
  data: Data,
  description: string,
  ...failures: number[]
): Answers<Data> {
  return { ...errorAnswers(...failures), 200: Envelope(data, description) };
}

/** The failures of a route whose success is not in the envelope. */
export function errorAnswers(...failures: number[]): Record<number, TSchema> {
  return Object.fromEntries([...failures, ...ALWAYS].map((code) => [code, ErrorEnvelope(code)]));
}

export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: {
    readonly error: FailureName;
    readonly fields?: readonly FieldError[];
    readonly details?: readonly FailureDetail[];
    readonly request_id: string;
  };
}

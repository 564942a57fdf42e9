import { type TSchema, Type } from 'typebox';
import {
  FAILURE_CODES,
  FAILURE_DETAILS,
  type FailureDetail,
  type FailureName,
  type FieldError,
} from '../domain/failure.ts';
import { SECOND_FACTORS, type SecondFactorChallenge } from '../domain/second-factor.ts';
import { RequestOptions } from './passkey-options.ts';

/** The envelope of whatever was done: `code` is 200 and `data` an object (decisions 0001). */
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
      description: 'The rule it breaks, as a JSON Schema keyword or a name of ours.',
      examples: ['required'],
    }),
    message: Type.String({ description: 'One sentence for a person.', examples: ['title is required.'] }),
  },
  { $id: 'FieldError', description: 'A member or parameter that is wrong.' },
);

/** The one status whose failures name the members that are wrong. */
const NAMES_FIELDS = 400;

/** The one status whose failures may say what is missing. */
const NAMES_DETAILS = 503;
const detailMembers = {
  details: Type.Optional(
    Type.Array(Type.Enum(FAILURE_DETAILS, { type: 'string' }), {
      description: 'What is known of it. `storage_full`: nothing can be stored for lack of room.',
    }),
  ),
};

/** The one status whose failures say how a sign-in goes on. */
const NAMES_CHALLENGE = 401;
const challengeMembers = {
  challenge: Type.Optional(
    Type.String({
      description: 'With second_factor_required alone: what POST /api/auth/login/second-factor takes.',
    }),
  ),
  methods: Type.Optional(
    Type.Array(Type.Enum(SECOND_FACTORS, { type: 'string' }), {
      description: 'With second_factor_required alone: what the account has.',
    }),
  ),
  passkey: Type.Optional(RequestOptions),
  expires_in: Type.Optional(
    Type.Integer({ description: 'With second_factor_required alone: seconds that the challenge lives.' }),
  ),
};

function ErrorEnvelope(code: number): TSchema {
  const names = (Object.keys(FAILURE_CODES) as FailureName[]).filter((name) => FAILURE_CODES[name] === code);
  return Type.Object(
    {
      code: Type.Literal(code, { type: 'integer' }),
      message: Type.String({ description: 'One sentence for a person.' }),
      data: Type.Object({
        error: Type.Enum(names, { type: 'string', description: 'A stable name for a program.' }),
        ...(code === NAMES_FIELDS ? { fields: Type.Optional(Type.Array(FieldErrorSchema)) } : {}),
        ...(code === NAMES_CHALLENGE ? challengeMembers : {}),
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
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests; Retry-After says when to try again.',
  431: 'The headers are larger than 16 KiB.',
  500: 'Internal server error.',
  503: 'Not possible right now; Retry-After says when to try again.',
};

/** What any operation answers where a name is not known, too many requests are under way, or the headers are too large. */
const ALWAYS = [400, 429, 431] as const;
/** The failures of an operation that reads a body, even where it needs none. */
export const BODY_FAILURES = [408, 413, 415] as const;

type Answers<Data extends TSchema> = { 200: ReturnType<typeof Envelope<Data>> };

/**
 * The `response` part of a route's schema: its success, the failures given, and those of every route that
 * needs the database. It serialises and documents alike, so only what the route can answer belongs here.
 */
export function answers<Data extends TSchema>(
  data: Data,
  description: string,
  ...failures: number[]
): Answers<Data> {
  return { ...errorAnswers(...failures, 500, 503), 200: Envelope(data, description) };
}

/** The same for a route that needs nothing but the process. */
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

/** What every failure answers with. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: Partial<SecondFactorChallenge> & {
    readonly error: FailureName;
    readonly fields?: readonly FieldError[];
    readonly details?: readonly FailureDetail[];
    readonly request_id: string;
  };
}

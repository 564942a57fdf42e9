import type { LimitName } from './limits.ts';

/**
 * Every way in which a request can fail, by the stable name that clients see in `data.error`, with its HTTP status,
 * which is also `code` (docs/decisions/interface.md).
 */
export const FAILURE_CODES = {
  validation_failed: 400,
  malformed_request: 400,
  taken: 400,
  link_invalid: 400,
  storage_full: 400,
  limit_reached: 400,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  token_revoked: 401,
  bad_credentials: 401,
  second_factor_required: 401,
  challenge_invalid: 401,
  code_invalid: 401,
  forbidden: 403,
  recent_sign_in_required: 403,
  second_factor_setup_required: 403,
  no_mail: 403,
  no_passkeys: 403,
  email_not_verified: 403,
  registration_closed: 403,
  invitation_required: 403,
  password_change_required: 403,
  account_closed: 403,
  last_admin: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_in_progress: 409,
  version_conflict: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  busy: 503,
  unavailable: 503,
} as const;

export type FailureName = keyof typeof FAILURE_CODES;

/** One member of the input that breaks one rule; `rule` is the JSON Schema keyword or our own name. */
export interface FieldError {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
}

/** Details of a 503, in the `details` of its answer and of /readyz. */
export const FAILURE_DETAILS = ['storage_full', 'storage_read_only'] as const;
export type FailureDetail = (typeof FAILURE_DETAILS)[number];

export interface FailureData {
  readonly error: FailureName;
  readonly message: string;
  readonly fields?: readonly FieldError[];
  readonly details?: readonly FailureDetail[];
  /** Other members of `data`. The room that fails has declared them (http/failure-members.ts). */
  readonly more?: object;
  /** Seconds after which trying again makes sense; becomes the Retry-After header. */
  readonly retryAfter?: number;
  /** The limit that refused the request. It is counted in the metrics, and clients do not see it. */
  readonly limit?: LimitName | undefined;
}

/**
 * A failure that the client sees: a name and one public sentence. The cause is for the log. Any other error that is
 * thrown is our own fault and becomes a 500 without details.
 */
export class Failure extends Error {
  readonly data: FailureData;

  constructor(data: FailureData, cause?: unknown) {
    super(data.message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.data = data;
  }

  get code(): number {
    return FAILURE_CODES[this.data.error];
  }
}

/** `validation_failed` for these members of the request. The message is that of the first. */
export function invalid(fields: readonly [FieldError, ...FieldError[]]): Failure {
  return new Failure({ error: 'validation_failed', message: fields[0].message, fields });
}

/** The request breaks the rules of HTTP or JSON, whatever the path. */
export function malformed(message: string): Failure {
  return new Failure({ error: 'malformed_request', message });
}

/** A unique value belongs to another account already. */
export function taken(field: string, message: string): Failure {
  return new Failure({ error: 'taken', message, fields: [{ field, rule: 'unique', message }] });
}

/** The token was never issued here, or was changed since. */
export function tokenInvalid(message = 'The token is not valid here; log in to get one.'): Failure {
  return new Failure({ error: 'token_invalid', message });
}

/** The lifetime of the token is over. Its session may still be refreshed. */
export function tokenExpired(): Failure {
  return new Failure({
    error: 'token_expired',
    message: 'The token has expired; refresh it or log in again.',
  });
}

/** The token was good once; its session has ended or its account is disabled. */
export function tokenRevoked(message = 'The session of this token has ended; log in again.'): Failure {
  return new Failure({ error: 'token_revoked', message });
}

/** `what` names the kind of thing in the sentence: "content item". */
export function notFound(what: string): Failure {
  return new Failure({ error: 'not_found', message: `There is no such ${what}.` });
}

export function forbidden(message: string): Failure {
  return new Failure({ error: 'forbidden', message });
}

/** The account has reached a number of rows. `message` says what to delete. */
export function limitReached(message: string): Failure {
  return new Failure({ error: 'limit_reached', message });
}

/** The request needs a mail, and the service sends none. */
export function noMail(message: string): Failure {
  return new Failure({ error: 'no_mail', message });
}

/** The client asked too often, and nothing was done. `retryAfter` is in seconds. */
export function tooManyRequests(message: string, retryAfter: number, limit?: LimitName): Failure {
  return new Failure({ error: 'too_many_requests', message, retryAfter, limit });
}

/** Too much is waiting or under way, so nothing was done. `retryAfter` is in seconds. */
export function busy(message: string, retryAfter = 1, cause?: unknown): Failure {
  return new Failure({ error: 'busy', message, retryAfter }, cause);
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.data.error === 'unavailable';
}

/** The storage cannot work now (disk full, database away). Nothing was changed, but for `Store.write`'s exceptions. */
export function unavailable(cause?: unknown): Failure {
  return new Failure(
    {
      error: 'unavailable',
      message: 'The service cannot reach its storage right now; try again shortly.',
      retryAfter: 1,
    },
    cause,
  );
}

export function isStorageFull(error: unknown): boolean {
  return hasDetail(error, 'storage_full');
}

export function isStorageReadOnly(error: unknown): boolean {
  return hasDetail(error, 'storage_read_only');
}

function hasDetail(error: unknown, detail: FailureDetail): boolean {
  return error instanceof Failure && error.data.details?.includes(detail) === true;
}

/** The storage takes no write, whatever it is: it is locked, or read-only. Nothing was changed. */
export function storageReadOnly(cause: unknown): Failure {
  return new Failure(
    {
      error: 'unavailable',
      message:
        'The storage of the service takes no writes right now, so nothing was changed; try again later.',
      details: ['storage_read_only'],
      retryAfter: 1,
    },
    cause,
  );
}

/** The storage has no room for a write; nothing was changed. */
export function storageFull(cause: unknown): Failure {
  return new Failure(
    {
      error: 'unavailable',
      message:
        'The storage of the service is full or takes nothing more, so nothing was changed; try again later.',
      details: ['storage_full'],
      retryAfter: 1,
    },
    cause,
  );
}

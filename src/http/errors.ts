import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FAILURE_CODES, Failure, type FailureData, type FailureName } from '../domain/failure.ts';
import { reasonOf } from '../domain/reason.ts';
import type { ErrorBody } from './envelope.ts';
import { unsupportedMediaType } from './json.ts';
import { LIMITS } from './limits.ts';
import { type Formats, validationFailure } from './validation.ts';

/** Turns whatever is thrown into the error envelope; only a Failure's public part ever leaves. */
export function answerErrors(app: FastifyInstance, formats: Formats): void {
  app.setErrorHandler((error: FastifyError | Failure, request, reply) => {
    if (leftBeforeTheEnd(request)) return sendFailure(request, reply, unfinished());
    if (isWorthReadingOut(error, request)) reply.removeHeader('connection');
    sendFailure(request, reply, failureOf(error, formats));
  });
  // Before the body is read: what it holds does not matter where there is nothing.
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? nothingThere() : undefined));
  // The hook runs for unknown paths because there is a handler.
  app.setNotFoundHandler((request, reply) => sendFailure(request, reply, nothingThere()));
}

function nothingThere(): Failure {
  return new Failure({ error: 'not_found', message: 'There is nothing at this path.' });
}

/** The client hung up while it sent its body: no fault of ours, and nobody sees the answer. */
function leftBeforeTheEnd({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function unfinished(): Failure {
  return new Failure({ error: 'malformed_request', message: 'The request ended before its body did.' });
}

/**
 * Fastify closes the connection under a body that is refused. A client that is still sending then meets a
 * broken connection instead of the answer, so a body of a bounded size is read and thrown away.
 */
function isWorthReadingOut(error: FastifyError | Failure, { headers }: FastifyRequest): boolean {
  const isRefused = error.code === 413 || error.code === 429;
  return isRefused && Number(headers['content-length']) <= LIMITS.discardedBody;
}

export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): void {
  const { code } = failure;
  if (code >= 500) {
    const { id, method, routeOptions } = request;
    const what = { request_id: id, method, route: routeOptions.url, failure: failure.data.error };
    // A stack leads to a fault of ours. What passes by itself may fail a thousand requests a second.
    const why = code === 500 ? { err: failure.cause ?? failure } : { cause: reasonOf(failure) };
    request.log.error({ ...what, ...why }, 'request failed');
  }
  if (code === 401) reply.header('www-authenticate', challenge(failure.data));
  if (failure.data.retryAfter !== undefined) reply.header('retry-after', failure.data.retryAfter);
  reply.code(code).send(errorBody(failure, request.id));
}

/** The body of an error response. */
export function errorBody({ data }: Failure, requestId: string): ErrorBody {
  return {
    code: FAILURE_CODES[data.error],
    message: data.message,
    data: {
      error: data.error,
      ...(data.fields ? { fields: data.fields } : {}),
      ...(data.details ? { details: data.details } : {}),
      ...data.secondFactor,
      request_id: requestId,
    },
  };
}

const ABOUT_TOKENS = new Set<FailureName>(['token_invalid', 'token_expired', 'token_revoked']);

/** RFC 6750, 3: the error code is there only when a token was. */
function challenge({ error }: FailureData): string {
  return ABOUT_TOKENS.has(error) ? 'Bearer realm="stoa", error="invalid_token"' : 'Bearer realm="stoa"';
}

function failureOf(error: FastifyError | Failure, formats: Formats): Failure {
  if (error instanceof Failure) return error;
  if (error.validation)
    return validationFailure(error.validation, error.validationContext ?? 'request', formats);
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType();
    case 'FST_ERR_BAD_URL':
      return new Failure({
        error: 'malformed_request',
        message: 'The path of the request is not a valid URL.',
      });
    default:
      return new Failure(
        {
          error: 'internal',
          message: 'Something went wrong on our side; the request id helps us to find it.',
        },
        error,
      );
  }
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BoundedLog } from '../domain/bounded-log.ts';
import { FAILURE_CODES, Failure, type FailureData, type FailureName, malformed } from '../domain/failure.ts';
import { reasonOf } from '../domain/reason.ts';
import type { ErrorBody } from './envelope.ts';
import { isEncoded, MERGE_PATCH, unsupportedMediaType } from './json.ts';
import { LIMITS } from './limits.ts';
import { traceOf } from './request-traces.ts';
import { type Formats, validationFailure } from './validation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where answers with `busy` are logged. */
    busyLog: BoundedLog;
  }
}

/** Turns everything that is thrown into the error envelope. Only the public part of a Failure leaves the service. */
export function answerErrors(app: FastifyInstance, formats: Formats): void {
  app.setErrorHandler((error: FastifyError | Failure, request, reply) => {
    // The client disconnected while it sent its body. That is no fault of ours, and nobody sees the answer.
    if (request.raw.destroyed && !request.raw.complete)
      return sendFailure(request, reply, malformed('The request ended before its body did.'));
    if (isWorthReadingOut(error, request)) reply.removeHeader('connection');
    sendFailure(request, reply, failureOf(error, request, formats));
  });
  // Before the body is read, because its content does not matter on an unknown path.
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? nothingThere() : undefined));
  // Without a handler the hook would not run for unknown paths.
  app.setNotFoundHandler((request, reply) => sendFailure(request, reply, nothingThere()));
}

function nothingThere(): Failure {
  return new Failure({ error: 'not_found', message: 'There is nothing at this path.' });
}

/**
 * Fastify closes the connection of a refused body. A client that is still sending then sees a broken connection instead
 * of the answer. So a body of a bounded size is read and thrown away.
 */
function isWorthReadingOut(error: FastifyError | Failure, { headers }: FastifyRequest): boolean {
  const isRefused = error.code === 413 || error.code === 429;
  return isRefused && Number(headers['content-length']) <= LIMITS.discardedBody;
}

/** Sends a failure in the envelope, with the headers that go with it, and counts it. Logs it from 500 on. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): void {
  const { code } = failure;
  request.server.requestFigures?.noteFailure(failure.data);
  if (code >= 500) logFailure(request, failure);
  if (code === 401) reply.header('www-authenticate', challenge(failure.data));
  // RFC 5789, 2.2.
  if (code === 415 && request.method === 'PATCH') reply.header('accept-patch', MERGE_PATCH);
  // RFC 9110, 15.5.16.
  if (code === 415 && isEncoded(request)) reply.header('accept-encoding', 'identity');
  if (failure.data.retryAfter !== undefined) reply.header('retry-after', failure.data.retryAfter);
  reply.code(code).send(errorBody(failure, request.id));
}

function logFailure(request: FastifyRequest, failure: Failure): void {
  const { server, id, method, routeOptions } = request;
  const { error } = failure.data;
  const what = { request_id: id, ...traceOf(request), method, route: routeOptions.url, failure: error };
  // Clients cause `busy` as often as they like, and it is no fault. So it fills no log, and raises no alarm.
  if (error === 'busy') {
    server.busyLog.note({ ...what, cause: reasonOf(failure) }, 'request refused');
    return;
  }
  server.requestTotals.serverErrors++;
  // The stack shows where our fault is. Failures that pass by themselves may happen a thousand times a second.
  const why = error === 'internal' ? { err: failure.cause ?? failure } : { cause: reasonOf(failure) };
  request.log.error({ ...what, ...why }, 'request failed');
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
      ...data.more,
      request_id: requestId,
    },
  };
}

const ABOUT_TOKENS = new Set<FailureName>(['token_invalid', 'token_expired', 'token_revoked']);

/** RFC 6750, 3: the error code is present only if a token was. */
function challenge({ error }: FailureData): string {
  return ABOUT_TOKENS.has(error) ? 'Bearer realm="stoa", error="invalid_token"' : 'Bearer realm="stoa"';
}

/** Tells a client whose token is not accepted, and who is answered like a stranger, to get another (RFC 9110, 11.6.1). */
export function challengeToken(reply: FastifyReply, { data }: Failure): void {
  if (ABOUT_TOKENS.has(data.error)) reply.header('www-authenticate', challenge(data));
}

function failureOf(error: FastifyError | Failure, request: FastifyRequest, formats: Formats): Failure {
  if (error instanceof Failure) return error;
  if (error.validation)
    return validationFailure(error.validation, error.validationContext ?? 'request', formats);
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType(request);
  const message = 'Something went wrong on our side; the request id helps us to find it.';
  return new Failure({ error: 'internal', message }, error);
}

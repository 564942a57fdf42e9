import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify';
import type { BoundedLog } from '../domain/bounded-log.ts';
import { measuredFor, SLOW_MS, Spent } from '../domain/spent.ts';
import { beforeValidation } from './before-validation.ts';
import { traceOf } from './request-traces.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request is admitted, and for an answer without an end. */
    spent: Spent | null;
    /** When the service began to wait for the body, and how long it waited, in milliseconds of the request. */
    bodyFrom: number;
    bodyTook: number | null;
  }
}

/** Begins to measure where the time of an admitted request goes: `turn` was its wait until now. */
export function beginMeasuring(request: FastifyRequest, reply: FastifyReply, begin: () => void): void {
  request.spent = new Spent(request.trace);
  request.spent.add('turn', reply.elapsedTime);
  measuredFor(request.spent, begin);
}

/**
 * Logs each request whose answer took long, without the time in which its body arrived, with the operations that it
 * waited for longest.
 */
export function logSlowRequests(app: FastifyInstance, slow: BoundedLog): void {
  app.decorateRequest('spent', null);
  app.decorateRequest('bodyFrom', 0);
  app.decorateRequest('bodyTook', null);
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return;
    route.preParsing = [noteBodyFrom, ...[route.preParsing ?? []].flat()];
    beforeValidation(route, noteBody);
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { id, method, routeOptions, spent } = request;
    const ms = Math.round(ownTimeOf(request, reply.elapsedTime));
    if (spent && ms >= SLOW_MS) {
      const about = { method, route: routeOptions.url, status: reply.statusCode, ms };
      slow.note({ ...about, spent: spent.longest, request_id: id, ...traceOf(request) }, 'slow request');
    }
    done();
  });
}

const noteBodyFrom: preParsingHookHandler = (request, reply, payload, done) => {
  request.bodyFrom = reply.elapsedTime;
  done(null, payload);
};

/** A body arrives outside of what `beginMeasuring` began, so what is measured begins here once more. */
const noteBody: preValidationHookHandler = (request, reply, done) => {
  request.bodyTook = reply.elapsedTime - request.bodyFrom;
  if (request.spent) measuredFor(request.spent, done);
  else done();
};

/** A body that was refused while it arrived may have taken all of the time. */
function ownTimeOf({ bodyFrom, bodyTook }: FastifyRequest, elapsed: number): number {
  if (bodyTook !== null) return elapsed - bodyTook;
  return bodyFrom > 0 ? bodyFrom : elapsed;
}

/** For an answer that goes on until its client has had enough. */
export function takesItsTime(request: FastifyRequest): void {
  request.spent = null;
}

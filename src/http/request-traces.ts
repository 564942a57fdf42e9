import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Trace, Tracing } from '../domain/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where no traces are made. */
    trace: Trace | null;
  }
}

/** Traces each request from its head to the end of its answer. It has the route as declared, and no path of a client. */
export function traceRequests(app: FastifyInstance, tracing: Tracing | undefined): void {
  app.decorateRequest('trace', null);
  if (!tracing) return;
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = tracing.request(request.headers);
    done();
  });
  app.addHook('onResponse', ({ trace, method, routeOptions }, { statusCode }, done) => {
    const route = routeOptions.url;
    const about = { 'http.request.method': method, 'http.response.status_code': statusCode };
    const isFailed = statusCode >= 500;
    if (route === undefined) trace?.end(method, about, isFailed);
    else trace?.end(`${method} ${route}`, { ...about, 'http.route': route }, isFailed);
    done();
  });
}

/** What a line of the log says of the trace of a request. */
export function traceOf({ trace }: Pick<FastifyRequest, 'trace'>): { readonly trace_id?: string } {
  return trace ? { trace_id: trace.id } : {};
}

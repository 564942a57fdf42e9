import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Trace, Tracing } from '../domain/tracing.ts';
import type { NoteEnd } from './request-ends.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where no traces are made. */
    trace: Trace | null;
  }
}

/** Begins the trace of each request, which `endTrace` ends. */
export function traceRequests(app: FastifyInstance, tracing: Tracing | undefined): void {
  app.decorateRequest('trace', null);
  if (!tracing) return;
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = tracing.request(request.headers);
    done();
  });
}

/** A trace has the route as declared, and no path of a client. It has no status where the client has left. */
export const endTrace: NoteEnd = ({ trace, method, routeOptions }, _reply, status) => {
  const route = routeOptions.url;
  const about = {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    ...(status !== undefined && { 'http.response.status_code': status }),
  };
  trace?.end(
    route === undefined ? method : `${method} ${route}`,
    about,
    status !== undefined && status >= 500,
  );
};

/** What a line of the log says of the trace of a request. */
export function traceOf({ trace }: Pick<FastifyRequest, 'trace'>): { readonly trace_id?: string } {
  return trace ? { trace_id: trace.id } : {};
}

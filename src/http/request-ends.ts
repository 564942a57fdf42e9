import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** True once its answer goes on (streams.ts). */
    isStream: boolean;
  }
}

/** Gets undefined as status where the client left before it had the whole answer. */
export type NoteEnd = (request: FastifyRequest, reply: FastifyReply, status: number | undefined) => void;

/**
 * Calls each when a request has been answered, or its client has left, but not for a stream. Fastify's `onResponse` does
 * not run for a client that has left, and such a client may have waited longest.
 */
export function watchEnds(app: FastifyInstance, notes: readonly NoteEnd[]): void {
  app.decorateRequest('isStream', false);
  if (notes.length === 0) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply;
    raw.once('close', () => {
      if (request.isStream) return;
      // Node.js takes the socket from a response that was sent, and then closes the response.
      const isSent = raw.writableFinished && !raw.socket;
      for (const note of notes) note(request, reply, isSent ? reply.statusCode : undefined);
    });
    done();
  });
}

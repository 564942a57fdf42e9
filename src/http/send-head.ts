import type { FastifyReply } from 'fastify';

/**
 * Answers HEAD where the answer to GET was not made. So its length is left out, which RFC 9110 (9.3.2) allows. Fastify
 * would say 0 for no answer at all, and says nothing for a stream.
 */
export function sendHead(reply: FastifyReply): void {
  reply.send(new ReadableStream());
}

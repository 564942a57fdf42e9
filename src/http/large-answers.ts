import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../domain/source.ts';
import { Turns } from '../domain/turns.ts';
import { LIMITS } from './limits.ts';
import { holdBytes } from './under-way.ts';

interface Waiting {
  readonly reply: FastifyReply;
  readonly goOn: () => void;
}

const waiting = new Turns<Waiting>(LIMITS.requests);

/**
 * What a route returns whose answer may be large; `size` is the characters of its long texts. A large answer is written
 * as JSON in a turn of the event loop of its own, by source, and others are answered in between: all of them at once
 * would be one turn of seconds (decisions 0043). Until it has gone out, what was read counts as bytes of its request.
 * Fails with `too_many_requests` where the source has its share of them; a write that was made never fails here.
 */
export function largeInTurn<Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  size: number,
  answer: Answer,
): Answer | Promise<Answer> {
  if (size < LIMITS.largeAnswer) return answer;
  if (request.method === 'GET') holdBytes(request, size);
  if (waiting.length === 0) setImmediate(goOnWithNext);
  return new Promise((resolve) => {
    waiting.add({ reply, goOn: () => resolve(answer) }, sourceOf(request.ip));
  });
}

function goOnWithNext(): void {
  let next = waiting.take();
  // Nobody waits for it any more.
  while (next?.reply.raw.destroyed) next = waiting.take();
  if (waiting.length > 0) setImmediate(goOnWithNext);
  next?.goOn();
}

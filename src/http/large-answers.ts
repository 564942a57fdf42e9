import type { FastifyRequest } from 'fastify';
import { heavyTurn } from './fair-turns.ts';
import { LIMITS } from './limits.ts';
import { holdBytes } from './under-way.ts';

/**
 * What a route returns whose answer may be large; `size` is the characters of its long texts. A large answer is written
 * as JSON in a turn of its own. Until it has gone out, what was read counts as bytes of its request. Fails with
 * `too_many_requests` where the source has its share of them; a write that was made never fails here.
 */
export function largeInTurn<Answer>(
  request: FastifyRequest,
  size: number,
  answer: Answer,
): Answer | Promise<Answer> {
  if (size < LIMITS.large) return answer;
  holdLarge(request, size);
  return heavyTurn(request).then(() => answer);
}

/** The same for an answer that is JSON already, which needs no turn of its own. */
export function holdLarge(request: FastifyRequest, size: number): void {
  if (size >= LIMITS.large && request.method === 'GET') holdBytes(request, size);
}

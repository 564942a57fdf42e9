import type { FastifyRequest } from 'fastify';
import { askerOf } from './access.ts';
import { LIMITS } from './limits.ts';
import { admittedOf } from './under-way.ts';

/**
 * Runs a write that costs as much as many others, when it is the turn of its asker: it reads, copies and indexes long
 * texts, or changes a hundred rows (docs/decisions/limits.md). Fails as `Admitted.write`.
 */
export async function inWriteTurn<Result>(
  request: FastifyRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  return admittedOf(request).write(await askerOf(request), work);
}

/** The same for a write that costs much only if its text is large. `size` is the number of its characters or bytes. */
export function largeInWriteTurn<Result>(
  request: FastifyRequest,
  size: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return size < LIMITS.large ? work() : inWriteTurn(request, work);
}

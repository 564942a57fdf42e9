import type { FastifyRequest } from 'fastify';
import type { Origin } from '../domain/origin.ts';
import { sourceOf } from '../domain/source.ts';

/** Where the request comes from. Headers of a proxy count only where TRUST_PROXY names the proxy. */
export function originOf(request: FastifyRequest): Origin {
  return { address: request.ip, source: sourceOf(request.ip), requestId: request.id };
}

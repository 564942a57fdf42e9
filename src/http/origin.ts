import type { FastifyRequest } from 'fastify';
import type { Origin } from '../domain/origin.ts';
import { sourceOf } from '../domain/source.ts';

/** Where the request came from; behind a proxy, as far as TRUST_PROXY says. */
export function originOf({ ip, id }: FastifyRequest): Origin {
  return { address: ip, source: sourceOf(ip), requestId: id };
}

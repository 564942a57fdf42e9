import type { FastifyRequest } from 'fastify';
import type { Origin } from '../domain/origin.ts';
import { sourceOf } from '../domain/source.ts';

/** The origin of a request. Behind a proxy it is right only if TRUST_PROXY is. */
export function originOf({ ip, id }: FastifyRequest): Origin {
  return { address: ip, source: sourceOf(ip), requestId: id };
}

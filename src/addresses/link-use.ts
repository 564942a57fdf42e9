import type { FastifyRequest } from 'fastify';
import { hashOfToken } from '../domain/token-hash.ts';
import { originOf } from '../http/origin.ts';
import type { Purpose } from '../services/links/purposes.ts';
import { type LinkUse, requireLink } from '../services/links/use.ts';
import type { AddressParts } from './parts.ts';

/** Counts the request for its source. Fails with `link_invalid` where there is no such link. */
export async function linkUse(
  { store, limits, clock }: AddressParts,
  request: FastifyRequest,
  token: string,
  ...purposes: Purpose[]
): Promise<LinkUse> {
  const origin = originOf(request);
  limits.spend('mailedLinks', origin.source);
  const use = { tokenHash: hashOfToken(token), now: clock() };
  await store.read(requireLink, { ...use, purposes });
  return { ...use, origin };
}

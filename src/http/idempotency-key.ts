import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { malformed } from '../domain/failure.ts';
import { LIMITS } from './limits.ts';
import { heavyTurn } from './under-way.ts';

/** A string of RFC 8941, 3.3.3, as draft-ietf-httpapi-idempotency-key-header has it. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** Without quotation marks, as many clients send it. A comma would be a second header. */
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;
/** Characters of a key. */
const MOST = 255;

/** The header, as the document describes it. */
export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A name of your choice for this request, best a new UUID: `"8e03978e-40d5-43e8-bc93-6894a57f9324"`, with or without the quotation marks, at most 255 characters. A request that is sent again with it within 24 hours is not made again, and gets the same answer. Only requests that succeeded are kept.',
    }),
  ),
});

/** The statuses of an operation that takes the header. */
export const ONCE_FAILURES = [409, 422] as const;

/**
 * The key of a request, and a fingerprint of its method, its path and the value of its body; undefined without the
 * header. The same JSON in another spelling is the same request. Fails with `malformed_request`.
 */
export async function idempotencyKeyOf(
  request: FastifyRequest,
): Promise<{ key: string; fingerprint: string } | undefined> {
  const { headers, method, routeOptions, body } = request;
  const value = headers['idempotency-key'];
  if (value === undefined) return undefined;
  const key = keyIn(String(value));
  if (!(Number(headers['content-length']) < LIMITS.large)) await heavyTurn(request);
  return {
    key,
    fingerprint: hash('sha256', `${method} ${routeOptions.url}\n${canonical(body)}`, 'base64url'),
  };
}

function keyIn(value: string): string {
  const key = QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(value)?.[0] ?? '';
  if (key.length >= 1 && key.length <= MOST) return key;
  throw malformed(
    `The header Idempotency-Key must have one text of 1 to ${MOST} printable ASCII characters, such as "8e03978e-40d5-43e8-bc93-6894a57f9324".`,
  );
}

/** JSON with the members of each object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure, invalid, malformed } from '../domain/failure.ts';
import { isStorable } from '../domain/text.ts';
import { readBody } from './body.ts';
import { notJson } from './not-json.ts';
import { type MemberName, memberNames } from './structure.ts';
import { turnForBody } from './under-way.ts';
import { printableOr } from './validation.ts';

const JSON_TYPE = 'application/json';
/** RFC 7396. */
export const MERGE_PATCH = 'application/merge-patch+json';

/** Accepts only JSON bodies, and checks strictly: valid UTF-8, no repeated member, nothing that cannot be stored. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const type of [JSON_TYPE, MERGE_PATCH, '*'])
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: IncomingMessage) => {
      const body = await readBody(request, payload);
      // Some clients send a content type without a body.
      if (body.length === 0) return undefined;
      if (type !== mediaTypeOf(request)) throw unsupportedMediaType(request);
      if (isEncoded(request))
        throw unsupported('Send the body as it is, without a Content-Encoding such as gzip.');
      await turnForBody(request, body.length);
      const { ignoresUnknown, members, bodyParts } = request.routeOptions.config;
      return parseJson(body, ignoresUnknown ? members : undefined, bodyParts);
    });
}

/** The one that the route takes bodies of. */
function mediaTypeOf({ routeOptions: { schema } }: FastifyRequest): string {
  const [type = JSON_TYPE] = schema?.consumes ?? [];
  return type;
}

export function unsupportedMediaType(request: FastifyRequest): Failure {
  return unsupported(`Send the body as JSON, with the header "Content-Type: ${mediaTypeOf(request)}".`);
}

/** A body that is compressed, or encoded otherwise. */
export function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

function unsupported(message: string): Failure {
  return new Failure({ error: 'unsupported_media_type', message });
}

/**
 * Fails with `malformed_request`, or with `validation_failed` and the name of the member. An empty body is undefined.
 * With `known`, members with other names may have any text. `mostParts` is for a route that takes many.
 */
export function parseJson(body: Buffer, known?: ReadonlySet<string>, mostParts?: number): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.');
  const names = memberNames(body, mostParts);
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(text, error);
  }
  checkNames(body, names);
  // Only an escape can produce what UTF-8 cannot carry or the engines cannot store.
  if (text.includes('\\u')) checkStorable(value, 'body', known);
  return value;
}

/** JSON.parse silently takes the last of two equal members. A client that sends two has made a mistake. */
function checkNames(body: Buffer, names: readonly MemberName[]): void {
  const seen = new Set<string>();
  for (const { object, start, end } of names) {
    const name: string = JSON.parse(body.toString('utf8', start, end));
    if (name === '__proto__') {
      const message = 'The member name "__proto__" is not allowed.';
      throw invalid([{ field: name, rule: 'reserved', message }]);
    }
    const key = `${object} ${name}`;
    if (seen.has(key)) {
      const field = printableOr(name, 'body');
      const message = `The member "${field}" is there twice; send it once.`;
      throw invalid([{ field, rule: 'unique', message }]);
    }
    seen.add(key);
  }
}

function checkStorable(value: unknown, field: string, known?: ReadonlySet<string>): void {
  if (typeof value === 'string') {
    if (isStorable(value)) return;
    const message = `${field} must not contain NUL or half a surrogate pair.`;
    throw invalid([{ field, rule: 'storable', message }]);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (known?.has(name) === false) continue;
    checkStorable(name, field);
    checkStorable(member, printableOr(field === 'body' ? name : `${field}.${name}`, field));
  }
}

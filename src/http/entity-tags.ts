import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Epoch } from '../domain/epoch.ts';
import { malformed } from '../domain/failure.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Names the database in each tag of what is stored. */
    epoch: Epoch;
  }
}

/** What tags are read from. */
export interface TaggedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly server: { readonly epoch: Epoch };
}

/** One tag of a list; `tag` has its quotation marks. */
export interface EntityTag {
  readonly tag: string;
  readonly isWeak: boolean;
}

/** The tags of If-Match or If-None-Match; '*' stands for whatever there is. */
export type EntityTags = '*' | readonly EntityTag[];

/** A list of RFC 9110, 8.8.3: empty elements are allowed (5.6.1). */
const LIST = /^[ \t,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(?:,[ \t,]*|$))+$/;
const TAG = /(W\/)?("[^"]*")/g;

/** Undefined where the header is absent. Fails with `malformed_request`. */
export function entityTags(
  name: 'If-Match' | 'If-None-Match',
  value: string | undefined,
): EntityTags | undefined {
  if (value === undefined) return undefined;
  const tags = tagsIn(value);
  if (!tags) throw malformed(`The header ${name} must have "*", or entity tags such as "7-x".`);
  return tags;
}

/**
 * The tags of a read's If-None-Match. Undefined where the header is absent or cannot be read: the whole answer is right
 * for every client.
 */
export function knownTags({ headers }: Pick<TaggedRequest, 'headers'>): EntityTags | undefined {
  const value = headers['if-none-match'];
  return value === undefined ? undefined : tagsIn(value);
}

/** Undefined where the text is no value of such a header. */
function tagsIn(value: string): EntityTags | undefined {
  if (value.trim() === '*') return '*';
  if (!LIST.test(value)) return undefined;
  return [...value.matchAll(TAG)].map(([, weak, tag = '']) => ({ tag, isWeak: weak !== undefined }));
}

/** Does one of these name what the client has, by the weak comparison of If-None-Match (RFC 9110, 13.1.2)? */
export function isNamedBy(tags: EntityTags, own: string): boolean {
  return tags === '*' || tags.some(({ tag }) => tag === own);
}

/** A part of a tag: another one where a version of Stoa shows what has this schema in another way. */
export function shapeOf(schema: object): string {
  return hash('sha256', JSON.stringify(schema), 'base64url').slice(0, 4);
}

/**
 * Says that the answer may be kept, by the client alone where it was asked for with a token, and that each use of it
 * needs a question to us. What a refused token gets is a stranger's, and nobody keeps it.
 */
export function varied<Reply extends FastifyReply>({ headers }: FastifyRequest, reply: Reply): Reply {
  varyBy('Authorization', reply);
  const own = reply.hasHeader('www-authenticate') ? 'no-store' : 'private, no-cache';
  reply.header('cache-control', headers.authorization === undefined ? 'no-cache' : own);
  return reply;
}

/** Adds a header to those that Vary names: with CORS_ORIGINS each answer has one already. */
export function varyBy(header: string, reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? header : `${others}, ${header}`);
}

/** The same for an answer with this entity tag. */
export function cacheable<Reply extends FastifyReply>(
  request: FastifyRequest,
  reply: Reply,
  tag: string,
): Reply {
  varied(request, reply).header('etag', tag);
  return reply;
}

/** A header of a request, as the document describes it. */
export const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'Entity tags of earlier answers: the request is refused with 412 where another change was made since. A weak tag never matches; `*` always does.',
    }),
  ),
});

export const IfNoneMatch = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description:
        'Entity tags of earlier answers: 304 without a body where one of them is still right. A value that cannot be read counts as absent.',
    }),
  ),
});

/** A header of answers, as the document describes it. */
export const ETAG = {
  ETag: Type.String({ description: 'What If-Match and If-None-Match take; another one after each change.' }),
};

/** The answer to If-None-Match, which has no body. */
export const NotModified = Type.Unsafe<undefined>({
  type: 'null',
  description: 'Nothing has changed since the answer with that entity tag.',
});

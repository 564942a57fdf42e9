import type { FastifyReply } from 'fastify';
import { ok } from './envelope.ts';

const COMMA = ','.charCodeAt(0);

/**
 * Sends a page whose items are JSON already, written by the schema of the items. The schema of the route writes the
 * page without items. The items are then inserted between its first brackets.
 */
export function sendPage(reply: FastifyReply, page: { readonly items: readonly Uint8Array[] }): FastifyReply {
  const empty = String(reply.serializeInput(ok({ ...page, items: [] }), '200'));
  const at = empty.indexOf('[]') + 1;
  reply.type('application/json; charset=utf-8');
  return reply.send(joined(empty.slice(0, at), page.items, empty.slice(at)));
}

/** `begin` and `end` are ASCII. */
function joined(begin: string, items: readonly Uint8Array[], end: string): Buffer {
  const commas = Math.max(0, items.length - 1);
  const size = items.reduce((sum, { length }) => sum + length, begin.length + commas + end.length);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(begin, 'latin1');
  for (const [index, item] of items.entries()) {
    if (index > 0) bytes[at++] = COMMA;
    bytes.set(item, at);
    at += item.length;
  }
  bytes.write(end, at, 'latin1');
  return bytes;
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Asker } from '../domain/admission/fair-queue.ts';
import { invalid, notFound } from '../domain/failure.ts';
import { askerOf, signedInOn } from '../http/access.ts';
import { cacheable, ETAG, isNamedBy, knownTags, NotModified } from '../http/entity-tags.ts';
import { answers, ok } from '../http/envelope.ts';
import { sendHead } from '../http/send-head.ts';
import { admittedOf, heldInTurn, largeInTurn, readHeld } from '../http/under-way.ts';
import { HTML_FORM, type Rendering } from '../services/rendering/rendering.ts';
import type { Store } from '../store/store.ts';
import {
  AS_STRANGER,
  type ContentRecord,
  type ContentRow,
  type ContentSelection,
  type ItemQuery,
  NOUN,
  ReadContent,
  toRecord,
} from './contract.ts';
import { findDraftItem } from './draft-items.ts';
import { entityTagOf } from './entity-tag-contract.ts';
import { type FoundContent, findContent, findState } from './find.ts';
import { type Selection, selected, selectionOf } from './selection.ts';
import { readerOf } from './visibility.ts';

/** Of the routes that show an item. The author of a draft whose token has ended learns from it to refresh. */
export const AS_STRANGER_OR_401 = `${AS_STRANGER} Where nothing is there for such a request, 401 or 403 says what is wrong with the token.`;

/** What routes that show an item need. */
export interface ItemParts {
  readonly store: Store;
  /** Undefined where the service makes no HTML. */
  readonly rendering: Rendering | undefined;
}

const RESPONSES = answers(ReadContent, 'The item.', 401, 403, 404);
export const ITEM_ANSWERS = { ...RESPONSES, 200: { ...RESPONSES[200], headers: ETAG }, 304: NotModified };

const JSON_TYPE = 'application/json; charset=utf-8';
/** The answer of whole items. The schema of the route has an alternative, which costs more to write. */
const WHOLE = {
  type: 'object',
  required: ['code', 'data'],
  properties: { code: { type: 'integer' }, data: { $ref: 'Content#' } },
};

/**
 * The item as the query asks for it, for the handler to return, or undefined for 304. A handler that returned its
 * `reply` would wait for the end of the answer, which costs a tenth of the read. Fails with `not_found`, or as
 * `Rendering.html`.
 */
export async function answerItem(
  { store, rendering }: ItemParts,
  request: FastifyRequest,
  reply: FastifyReply,
  id: number,
  { fields, format }: Static<typeof ItemQuery>,
): Promise<Static<(typeof RESPONSES)[200]> | undefined> {
  const renderer = format === 'html' ? requireRendering(rendering) : undefined;
  const selection = selectionOf(fields);
  const known = knownTags(request);
  const tagOf = (state: Parameters<typeof entityTagOf>[1]) =>
    entityTagOf(request.server.epoch, state, selection, renderer && HTML_FORM);
  const tagged = (state: Parameters<typeof tagOf>[0]) => cacheable(request, reply, tagOf(state));
  const asker = await askerOf(request, reply);
  const reader = readerOf(asker);
  const isHead = request.method === 'HEAD';
  if (known || isHead) {
    // Reads no text.
    const state = await store.read(findState, { id, reader });
    if (state && known && isNamedBy(known, tagOf(state))) return void tagged(state).code(304);
    if (state && isHead) return void sendHead(tagged(state).type(JSON_TYPE));
  }
  const found = await readHeld<FoundContent>(
    request,
    async (most) =>
      (await store.read(findContent, { id, reader, most })) ??
      (await store.read(findDraftItem, { id, userId: await draftReader(request), most })),
  );
  const { row } = found;
  if (known && row.status === 'draft' && isNamedBy(known, tagOf(row))) return void tagged(row).code(304);
  const html =
    renderer &&
    (!selection || selection.names.has('content')) &&
    (await htmlOf(renderer, request, asker, row));
  found.record ??= toRecord(row);
  const record = html
    ? await largeInTurn(request, html.length, found.record)
    : await heldInTurn(request, row.content.length, found.record);
  tagged(row).type(JSON_TYPE);
  if (selection || renderer) {
    reply.serializer(JSON.stringify);
    return ok(shownAs(record, selection, html));
  }
  const write = reply.compileSerializationSchema(WHOLE);
  reply.serializer((answer: Record<string, unknown>) => {
    found.json ??= String(write(answer));
    return found.json;
  });
  return ok(record);
}

/** The item as a write has left it, with its ETag. */
export function answerWritten(request: FastifyRequest, reply: FastifyReply, row: ContentRow) {
  reply.header('etag', entityTagOf(request.server.epoch, row));
  return largeInTurn(request, row.content.length, ok(toRecord(row)));
}

/**
 * The account that asks for what might be a draft. Fails with `not_found` for a request without a token, and else as
 * `signedInOn`.
 */
export async function draftReader(request: FastifyRequest): Promise<number> {
  if (request.headers.authorization === undefined) throw notFound(NOUN);
  return (await signedInOn(request)).userId;
}

function requireRendering(rendering: Rendering | undefined): Rendering {
  if (rendering) return rendering;
  const message = 'format must be json: this service makes no HTML, because its setting RENDER is off.';
  throw invalid([{ field: 'format', rule: 'enum', message }]);
}

async function htmlOf(
  rendering: Rendering,
  request: FastifyRequest,
  asker: Asker,
  row: ContentRow,
): Promise<string> {
  const { id, version, updated_at, content: text, author_id: userId } = row;
  const key = `${id} ${version} ${updated_at}`;
  const markdown = { key, text, kind: 'item', userId } as const;
  return admittedOf(request).untilLeft((leaving) => rendering.html(asker, markdown, leaving));
}

/** The members that were asked for, with HTML in the place of the text. */
function shownAs(
  record: ContentRecord,
  selection: Selection | undefined,
  html: string | false | undefined,
): ContentSelection {
  const members = selection ? selected(record, selection) : record;
  if (typeof html !== 'string') return members;
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => (name === 'content' ? ['html', html] : [name, value])),
  );
}

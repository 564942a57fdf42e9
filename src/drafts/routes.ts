import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MOST_PARTS, takesContent } from '../content/body-contract.ts';
import { ContentRecord, NOUN as ITEM } from '../content/contract.ts';
import { CONTENT_FIELDS } from '../content/fields.ts';
import { answerWritten } from '../content/item-answer-contract.ts';
import { type ContentWrites, countedChange, countWrite } from '../content/writes.ts';
import { callerOf } from '../http/access.ts';
import {
  cacheable,
  ETAG,
  IfMatch,
  IfNoneMatch,
  isNamedBy,
  knownTags,
  NotModified,
  varied,
} from '../http/entity-tags.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLargeText, largeInTurn } from '../http/under-way.ts';
import { inWriteTurn, largeInWriteTurn } from '../http/write-turns.ts';
import { columnsGiven } from '../store/fields.ts';
import { ContentDraft, DraftChange, IfNoDraft, OverVersion, toDraft } from './contract.ts';
import { discardDraft } from './discard.ts';
import { draftNoneOf, draftOnlyIfOf, draftTagOf } from './entity-tag-contract.ts';
import { type Draft, findDraft, findDraftState, sizeOfDraft, sizeOfDraftText } from './find.ts';
import { publish } from './publish.ts';
import { saveDraft } from './save.ts';

const columnsOf = columnsGiven(CONTENT_FIELDS, 'author');

const found = answers(ContentDraft, 'The draft.', 401, 403, 404);
const saved = answers(ContentDraft, 'The draft as it is now.', 401, 403, 404, 412, ...BODY_FAILURES);
const published = answers(ContentRecord, 'The item as it is now.', 401, 403, 404, 412, ...BODY_FAILURES);

const WRITE = {
  access: 'signed_in',
  limits: ['writes', 'writtenMebibytes', 'storedMebibytes'],
  shows: 'moderated',
  programs: 'write',
} as const;

/** The draft beside a published item, and publishing. */
export function draftRoutes(app: App, parts: ContentWrites): void {
  const { store, stored, clock } = parts;

  app.get(
    '/api/content/:id/draft',
    {
      config: { access: 'signed_in', limits: [], shows: 'moderated', programs: 'read' },
      schema: {
        operationId: 'getDraft',
        tags: ['content'],
        summary: 'Read the draft beside a published content item',
        description: 'For the author of the item, editors and admins.',
        params: IdParams,
        headers: IfNoneMatch,
        response: { ...found, 200: { ...found[200], headers: ETAG }, 304: NotModified },
      },
    },
    async (request, reply) => {
      const item = { id: idIn(request.params, ITEM), userId: callerOf(request).userId };
      const known = knownTags(request);
      if (known) {
        // Reads no text.
        const tag = draftTagOf(request.server.epoch, await store.read(findDraftState, item));
        if (isNamedBy(known, tag)) {
          cacheable(request, reply, tag).code(304);
          return;
        }
      }
      await holdDraft(request, parts, item);
      return answer(request, varied(request, reply), await store.read(findDraft, item));
    },
  );

  app.put(
    '/api/content/:id/draft',
    {
      ...takesContent,
      config: { ...WRITE, bodyParts: MOST_PARTS },
      schema: {
        operationId: 'saveDraft',
        tags: ['content'],
        summary: 'Save the draft beside a published content item',
        description:
          'The draft gets the members that are given, and keeps the others; what it never got is as it is published. It begins with the first saving: If-Match then has the ETag of the item, and later that of the draft. An item that is a draft itself is changed by its own address. For its author, editors and admins.',
        params: IdParams,
        querystring: OverVersion,
        headers: Type.Object({ ...IfMatch.properties, ...IfNoDraft.properties }),
        body: DraftChange,
        response: { ...saved, 200: { ...saved[200], headers: ETAG } },
      },
    },
    async (request, reply) => {
      const id = idIn(request.params, ITEM);
      const onlyIf = { ...draftOnlyIfOf(request), noneOf: draftNoneOf(request) };
      const { body } = request;
      const over = request.query.over_version;
      const caller = callerOf(request);
      const { held, written, published } = await holdDraft(request, parts, { id, userId: caller.userId });
      const { publish_at: publishAt, ...columns } = columnsOf(body);
      const content = JSON.stringify(columns);
      return largeInWriteTurn(request, Math.max(held, content.length), async () => {
        const change = { id, caller, content: body.content, sizeOf: sizeOfDraftText };
        // All of the draft is written again, and the item when the time comes.
        const later = publishAt ? published : 0;
        const bytes = Math.max(written, Buffer.byteLength(content)) + later;
        const draft = await countedChange(parts, change, bytes, () =>
          store.write(saveDraft, { id, caller, columns, publishAt, onlyIf, over, now: clock() }),
        );
        stored.add(draft.authorId, draft.added);
        return answer(request, reply, draft);
      });
    },
  );

  app.delete(
    '/api/content/:id/draft',
    {
      config: { ...WRITE, limits: ['writes', 'writtenMebibytes'], shows: 'nothing' },
      schema: {
        operationId: 'discardDraft',
        tags: ['content'],
        summary: 'Delete the draft beside a published content item',
        description: 'The item stays as it is published. For its author, editors and admins.',
        params: IdParams,
        headers: IfMatch,
        response: answersEnded(Type.Integer({ minimum: 1 }), 'item', 412),
      },
    },
    async (request) => {
      const id = idIn(request.params, ITEM);
      const onlyIf = draftOnlyIfOf(request);
      const caller = callerOf(request);
      countWrite(parts, caller);
      const { authorId, added } = await store.write(discardDraft, { id, caller, onlyIf, now: clock() });
      stored.add(authorId, added);
      return ok({ id });
    },
  );

  app.post(
    '/api/content/:id/publish',
    {
      config: { ...WRITE, shows: 'visible' },
      schema: {
        operationId: 'publishContent',
        tags: ['content'],
        summary: 'Publish a draft',
        description:
          'An item that is a draft, or the draft beside a published item, as one version. If-Match has the ETag of what is published: of the item, or of the draft beside it. For its author, editors and admins.',
        params: IdParams,
        querystring: OverVersion,
        headers: IfMatch,
        response: { ...published, 200: { ...published[200], headers: ETAG } },
      },
    },
    async (request, reply) => {
      const id = idIn(request.params, ITEM);
      const onlyIf = draftOnlyIfOf(request);
      const caller = callerOf(request);
      const { published } = await holdDraft(request, parts, { id, userId: caller.userId });
      const over = request.query.over_version;
      return inWriteTurn(request, async () => {
        const row = await countedChange(parts, { id, caller }, published, () =>
          publish(store, { id, caller, onlyIf, over, now: clock() }),
        );
        stored.add(row.author_id, row.added);
        return answerWritten(request, reply, row);
      });
    },
  );
}

/**
 * Counts the bytes that the answer may have, and returns them, those of what is written in the draft, and those that its
 * publication writes.
 */
async function holdDraft(
  request: FastifyRequest,
  { store }: ContentWrites,
  item: { readonly id: number; readonly userId: number },
) {
  const { written, text } = await store.read(sizeOfDraft, item);
  return { written, published: Math.max(written, text), held: holdLargeText(request, written + text) };
}

function answer(request: FastifyRequest, reply: FastifyReply, draft: Draft) {
  reply.header('etag', draftTagOf(request.server.epoch, draft));
  return largeInTurn(request, draft.row.content.length, ok(toDraft(draft)));
}

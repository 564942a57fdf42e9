import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { ETAG, IfMatch } from '../http/entity-tags.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdempotencyKey, idempotencyKeyOf, ONCE_FAILURES } from '../http/idempotency-key.ts';
import { MERGE_PATCH } from '../http/json.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLargeText } from '../http/under-way.ts';
import { largeInWriteTurn } from '../http/write-turns.ts';
import type { OnceKey } from '../services/idempotency/once.ts';
import { columnsGiven } from '../store/fields.ts';
import type { Store } from '../store/store.ts';
import {
  ContentChange,
  ContentInput,
  ContentPatch,
  MOST_PARTS,
  takesContent,
  textsOf,
} from './body-contract.ts';
import { ContentRecord, itemLinks, NOUN } from './contract.ts';
import { create } from './create.ts';
import { createdBefore, createOnce } from './create-once.ts';
import { deleteContent } from './delete.ts';
import { type SizeRequest, sizeOfContent } from './draft-items.ts';
import { onlyIfOf } from './entity-tag-contract.ts';
import { CONTENT_FIELDS } from './fields.ts';
import { answerWritten } from './item-answer-contract.ts';
import type { Meta } from './meta.ts';
import { itemStored } from './stored.ts';
import { update } from './update.ts';
import { bytesOf, type ContentWrites, countedChange, countWrite } from './writes.ts';

const created = answers(ContentRecord, 'The new item.', 401, 403, ...ONCE_FAILURES, ...BODY_FAILURES);

const columnsOf = columnsGiven(CONTENT_FIELDS, 'author');

const changed = answers(ContentRecord, 'The item as it is now.', 401, 403, 404, 412, ...BODY_FAILURES);

const SCHEMA = {
  tags: ['content'],
  params: IdParams,
  headers: IfMatch,
  response: { ...changed, 200: { ...changed[200], headers: ETAG } },
};
const CONFIG = {
  access: 'signed_in',
  limits: ['writes', 'writtenMebibytes', 'storedMebibytes'],
  shows: 'visible',
  programs: 'write',
  bodyParts: MOST_PARTS,
} as const;

/** Creating, changing and deleting content. */
export function contentWriteRoutes(app: App, parts: ContentWrites): void {
  const { config, store, stored, onceRequests, clock } = parts;

  app.post(
    '/api/content',
    {
      ...takesContent,
      config: { ...CONFIG, shows: 'own', ignoresUnknown: true },
      schema: {
        operationId: 'createContent',
        tags: ['content'],
        summary: 'Create a content item',
        description: 'The caller becomes its author.',
        headers: IdempotencyKey,
        body: ContentInput,
        response: { ...created, 200: { ...created[200], headers: ETAG } },
      },
      links: itemLinks('getContent', 'updateContent', 'deleteContent'),
    },
    async (request, reply) => {
      const { body } = request;
      const caller = callerOf(request);
      const make = async (key?: OnceKey) => {
        countWrite(parts, caller, bytesOf(textsOf(body)));
        await stored.requireRoom(caller.userId);
        const item = { item: body, caller, now: clock() };
        const { row, isNew } = key
          ? await createOnce(store, item, key)
          : { row: await create(store, item), isNew: true };
        if (isNew) stored.add(caller.userId, itemStored(row));
        return row;
      };
      const inTurn = (key?: OnceKey) => largeInWriteTurn(request, body.content.length, () => make(key));
      const named = await idempotencyKeyOf(request);
      const row = named
        ? await onceRequests.run(
            { ...named, userId: caller.userId },
            { make: inTurn, again: (kept) => createdBefore(caller, body, kept) },
          )
        : await inTurn();
      return answerWritten(request, reply, row);
    },
  );

  app.put(
    '/api/content/:id',
    {
      ...takesContent,
      config: { ...CONFIG, ignoresUnknown: true },
      schema: {
        ...SCHEMA,
        operationId: 'updateContent',
        summary: 'Change a content item',
        description: 'Changes the members that are given. For its author, editors and admins.',
        body: ContentChange,
      },
    },
    async (request, reply) => change(parts, request, reply, idIn(request.params, NOUN), request.body),
  );

  app.patch(
    '/api/content/:id',
    {
      ...takesContent,
      config: CONFIG,
      schema: {
        ...SCHEMA,
        operationId: 'patchContent',
        summary: 'Change a content item by a JSON Merge Patch',
        description:
          'Changes the members that are given (RFC 7396); null takes an optional one away. For its author, editors and admins.',
        consumes: [MERGE_PATCH],
        body: ContentPatch,
      },
    },
    async (request, reply) => {
      const { meta, ...body } = request.body;
      return change(parts, request, reply, idIn(request.params, NOUN), body, meta);
    },
  );

  app.delete(
    '/api/content/:id',
    {
      config: {
        access: 'signed_in',
        limits: ['writes', 'writtenMebibytes'],
        shows: 'nothing',
        programs: 'write',
        ignoresUnknown: true,
      },
      schema: {
        operationId: 'deleteContent',
        tags: ['content'],
        summary: 'Delete a content item',
        description:
          'Moves the item to the trash, where its author, editors and admins find it for the days of the setting TRASH_DAYS; for everybody else it is gone. Deletes it for good if that setting is 0. Its id is never used again. For its author, editors and admins.',
        params: IdParams,
        headers: IfMatch,
        response: answersEnded(Type.Integer({ minimum: 1 }), 'item', 412),
      },
    },
    async (request) => {
      const [id, onlyIf] = [idIn(request.params, NOUN), onlyIfOf(request)];
      const [caller, now] = [callerOf(request), clock()];
      countWrite(parts, caller);
      await store.write(deleteContent, { id, caller, now, onlyIf, isForGood: config.trashDays === 0 });
      return ok({ id });
    },
  );
}

/** Makes the change that a body asks for, and returns the answer. */
async function change(
  parts: ContentWrites,
  request: FastifyRequest,
  reply: FastifyReply,
  id: number,
  body: ContentPatch,
  metaPatch?: Meta | null,
) {
  const { store, stored, clock } = parts;
  const [onlyIf, caller, columns] = [onlyIfOf(request), callerOf(request), columnsOf(body)];
  const { size, written } =
    body.content === undefined
      ? await holdAnswer(request, store, { id, userId: caller.userId })
      : { size: body.content.length, written: 0 };
  const texts = textsOf({ ...body, ...(metaPatch && { meta: metaPatch }) });
  const bytes = Math.max(written, bytesOf(texts));
  return largeInWriteTurn(request, size, async () => {
    const row = await countedChange(parts, { id, caller, content: body.content }, bytes, () =>
      update(store, { id, caller, columns, metaPatch, now: clock(), onlyIf }),
    );
    stored.add(row.author_id, row.added);
    return answerWritten(request, reply, row);
  });
}

/**
 * Counts the bytes of the stored content, which the answer has if the body has none. Returns them, and those of the item,
 * which SQLite writes again.
 */
async function holdAnswer(request: FastifyRequest, store: Store, item: SizeRequest) {
  const { bytes = 0, all = 0 } = (await store.read(sizeOfContent, item)) ?? {};
  return { size: holdLargeText(request, bytes), written: all };
}

import { Type } from 'typebox';
import { ContentRecord } from '../content/contract.ts';
import { onlyIfOf } from '../content/entity-tag-contract.ts';
import { answerWritten } from '../content/item-answer-contract.ts';
import { type ContentWrites, countWrite } from '../content/writes.ts';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import { askerOf, callerOf } from '../http/access.ts';
import { ETAG, IfMatch } from '../http/entity-tags.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLargeText, largeInTurn } from '../http/under-way.ts';
import { inWriteTurn, largeInWriteTurn } from '../http/write-turns.ts';
import { NOUN, TrashPage, toTrashedItem } from './contract.ts';
import { sizeOfTrashed } from './find.ts';
import { listTrash } from './list.ts';
import { purgeItem } from './purge.ts';
import { restoreItem } from './restore.ts';

interface TrashParts extends ContentWrites {
  readonly searches: FairQueue;
  /** How long an item stays in the trash, in milliseconds. */
  readonly keptMs: number;
}

const restored = answers(ContentRecord, 'The item, as it was.', 401, 403, 404, 412, ...BODY_FAILURES);

/** What was deleted, and can be restored for some days. */
export function trashRoutes(app: App, parts: TrashParts): void {
  const { store, searches, keptMs, clock } = parts;

  app.get(
    '/api/content/trash',
    {
      config: { access: 'signed_in', limits: [], shows: 'moderated', programs: 'read' },
      schema: {
        operationId: 'listTrash',
        tags: ['content'],
        summary: 'The items in the trash',
        description: "The caller's own; those of all authors for editors and admins.",
        querystring: Type.Object(PageQuery),
        response: answers(TrashPage, 'One page of items.', 401, 403),
      },
    },
    async (request, reply) => {
      const query = { ...pageRequest(request.query), userId: callerOf(request).userId };
      const page = await searches.run(await askerOf(request), () => store.read(listTrash, query));
      const size = page.items.reduce((sum, { content }) => sum + content.length, 0);
      return largeInTurn(
        request,
        size,
        okPage(request, reply, page, (row) => toTrashedItem(row, keptMs)),
      );
    },
  );

  app.post(
    '/api/content/trash/:id/restore',
    {
      config: {
        access: 'signed_in',
        limits: ['writes', 'writtenMebibytes'],
        shows: 'moderated',
        programs: 'write',
      },
      schema: {
        operationId: 'restoreContent',
        tags: ['content'],
        summary: 'Take a content item out of the trash',
        description:
          'The item is as it was, with its id and its versions. A time to be published that has passed meanwhile is taken away, as a new version. One that is to come counts again among those that wait, and more than may is 400 `limit_reached`. For its author, editors and admins.',
        params: IdParams,
        headers: IfMatch,
        response: { ...restored, 200: { ...restored[200], headers: ETAG } },
      },
    },
    async (request, reply) => {
      const [id, onlyIf] = [idIn(request.params, NOUN), onlyIfOf(request)];
      const caller = callerOf(request);
      const bytes = holdLargeText(request, await store.read(sizeOfTrashed, { id, userId: caller.userId }));
      return largeInWriteTurn(request, bytes, async () => {
        countWrite(parts, caller, bytes);
        const row = await store.write(restoreItem, { id, caller, onlyIf, now: clock() });
        return answerWritten(request, reply, row);
      });
    },
  );

  app.delete(
    '/api/content/trash/:id',
    {
      config: {
        access: 'signed_in',
        limits: ['writes', 'writtenMebibytes'],
        shows: 'nothing',
        programs: 'write',
      },
      schema: {
        operationId: 'purgeContent',
        tags: ['content'],
        summary: 'Delete a content item for good',
        description:
          'Deletes an item of the trash with its earlier versions. For its author and admins; editors may only restore it.',
        params: IdParams,
        headers: IfMatch,
        response: answersEnded(Type.Integer({ minimum: 1 }), 'item', 412),
      },
    },
    async (request) => {
      const [id, onlyIf] = [idIn(request.params, NOUN), onlyIfOf(request)];
      const caller = callerOf(request);
      countWrite(parts, caller);
      await inWriteTurn(request, () => store.write(purgeItem, { id, caller, onlyIf, now: clock() }));
      return ok({ id });
    },
  );
}

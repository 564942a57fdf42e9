import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { IfMatch } from '../http/entity-tags.ts';
import { answersEnded, ok } from '../http/envelope.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { NOUN } from './contract.ts';
import { deleteContent } from './delete.ts';
import { onlyIfOf } from './entity-tag-contract.ts';
import { type ContentWrites, countWrite } from './writes.ts';

export function deleteContentRoute(app: App, parts: ContentWrites): void {
  const { store, clock } = parts;
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
          'Deletes the item for good; its id is never used again. For its author, editors and admins.',
        params: IdParams,
        headers: IfMatch,
        response: answersEnded(Type.Integer({ minimum: 1 }), 'item', 412),
      },
    },
    async (request) => {
      const id = idIn(request.params, NOUN);
      const onlyIf = onlyIfOf(request);
      const [caller, now] = [callerOf(request), clock()];
      countWrite(parts, caller);
      await store.write(deleteContent, { id, caller, now, onlyIf });
      return ok({ id });
    },
  );
}

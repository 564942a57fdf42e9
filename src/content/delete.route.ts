import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { NOUN } from './contract.ts';
import { deleteContent } from './delete.ts';
import type { ContentWrites } from './writes.ts';

export function deleteContentRoute(app: App, { store, writes, clock }: ContentWrites): void {
  const deleted = Type.Object({ id: Type.Integer({ minimum: 1 }) });
  app.delete(
    '/api/content/:id',
    {
      config: { access: 'signed_in', programs: 'write', ignoresUnknown: true },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'deleteContent',
        tags: ['content'],
        summary: 'Delete a content item',
        description:
          'Deletes the item for good; its id is never used again. For its author, editors and admins.',
        params: IdParams,
        response: answers(deleted, 'The id of the item that was.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const id = idIn(request.params, NOUN);
      const [caller, now] = [callerOf(request), clock()];
      writes.spend(caller.userId, now);
      await store.write(deleteContent, { id, caller, now });
      return ok({ id });
    },
  );
}

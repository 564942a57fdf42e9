import type { Access } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { largeInTurn } from '../http/large-answers.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { ContentRecord, NOUN, READ_SECURITY, toRecord } from './contract.ts';
import { findContent } from './find.ts';

export function findContentRoute(
  app: App,
  { store, readAccess }: { store: Store; readAccess: Access },
): void {
  app.get(
    '/api/content/:id',
    {
      config: { access: readAccess, programs: 'read' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'getContent',
        tags: ['content'],
        summary: 'Read a content item',
        description: 'For everybody, or for accounts alone where the setting CONTENT_READ says so.',
        security: READ_SECURITY,
        params: IdParams,
        response: answers(ContentRecord, 'The item.', 401, 403, 404),
      },
    },
    async (request) => {
      const item = toRecord(await store.read(findContent, idIn(request.params, NOUN)));
      return largeInTurn(request, item.content.length, ok(item));
    },
  );
}

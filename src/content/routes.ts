import type { Access } from '../http/declaration.ts';
import { IfNoneMatch } from '../http/entity-tags.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { ItemQuery, NOUN, READ_SECURITY } from './contract.ts';
import { AS_STRANGER_OR_401, answerItem, ITEM_ANSWERS, type ItemParts } from './item-answer-contract.ts';

interface ReadParts extends ItemParts {
  readonly readAccess: Access;
}

/** Reading an item. */
export function contentRoutes(app: App, parts: ReadParts): void {
  app.get(
    '/api/content/:id',
    {
      config: { access: parts.readAccess, limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'getContent',
        tags: ['content'],
        summary: 'Read a content item',
        description: `For everybody, or only for accounts if the setting CONTENT_READ says so. A draft is there for its author, editors and admins only. ${AS_STRANGER_OR_401}`,
        security: READ_SECURITY,
        params: IdParams,
        querystring: ItemQuery,
        headers: IfNoneMatch,
        response: ITEM_ANSWERS,
      },
    },
    async (request, reply) => answerItem(parts, request, reply, idIn(request.params, NOUN), request.query),
  );
}

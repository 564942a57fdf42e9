import type { Access } from '../http/declaration.ts';
import { cacheable, ETAG, entityTags, IfNoneMatch, isNamedBy, NotModified } from '../http/entity-tags.ts';
import { answers, ok } from '../http/envelope.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { largeInTurn } from '../http/under-way.ts';
import type { Store } from '../store/store.ts';
import { ContentRecord, NOUN, READ_SECURITY, toRecord } from './contract.ts';
import { entityTagOf } from './entity-tag-contract.ts';
import { findContent, findState } from './find.ts';

const found = answers(ContentRecord, 'The item.', 401, 403, 404);

export function findContentRoute(
  app: App,
  { store, readAccess }: { store: Store; readAccess: Access },
): void {
  app.get(
    '/api/content/:id',
    {
      config: { access: readAccess, limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'getContent',
        tags: ['content'],
        summary: 'Read a content item',
        description: 'For everybody, or only for accounts if the setting CONTENT_READ says so.',
        security: READ_SECURITY,
        params: IdParams,
        headers: IfNoneMatch,
        response: { ...found, 200: { ...found[200], headers: ETAG }, 304: NotModified },
      },
    },
    async (request, reply) => {
      const id = idIn(request.params, NOUN);
      const known = entityTags('If-None-Match', request.headers['if-none-match']);
      if (known) {
        // Reads no text.
        const tag = entityTagOf(await store.read(findState, id));
        if (isNamedBy(known, tag)) return cacheable(request, reply, tag).code(304).send(undefined);
      }
      const row = await store.read(findContent, id);
      cacheable(request, reply, entityTagOf(row));
      return largeInTurn(request, row.content.length, ok(toRecord(row)));
    },
  );
}

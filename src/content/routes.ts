import { Type } from 'typebox';
import type { Searches } from '../domain/admission/searches.ts';
import type { Cursors } from '../domain/cursors.ts';
import { askerOf } from '../http/access.ts';
import type { Access } from '../http/declaration.ts';
import { cacheable, ETAG, entityTags, IfNoneMatch, isNamedBy, NotModified } from '../http/entity-tags.ts';
import { answers, ok } from '../http/envelope.ts';
import { sendPage } from '../http/joined-page.ts';
import { IdParams, idIn, linkPages } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLarge, largeInTurn } from '../http/under-way.ts';
import { stepOf, walkRequest } from '../http/walking.ts';
import type { Store } from '../store/store.ts';
import {
  ContentPage,
  ContentQuery,
  FIELDS,
  NOUN,
  READ_SECURITY,
  ReadContent,
  toListItem,
  toRecord,
} from './contract.ts';
import { entityTagOf, pageTagOf } from './entity-tag-contract.ts';
import { findContent, findState } from './find.ts';
import { listContent } from './list.ts';
import { listQuery } from './list-query-contract.ts';
import { type ListedJsonCache, type Shown, shownItems } from './listed-json.ts';
import { searchInTurn } from './search-in-turn.ts';
import { selected, selectionOf } from './selection.ts';
import { readerOf } from './visibility.ts';
import { walkContent } from './walk.ts';

interface ReadParts {
  readonly store: Store;
  readonly searches: Searches;
  readonly cursors: Cursors;
  readonly listedJson: ListedJsonCache;
  readonly readAccess: Access;
}

const found = answers(ReadContent, 'The item.', 401, 403, 404);
/** The answer of whole items. The schema of the route has an alternative, which costs more to write. */
const WHOLE = {
  type: 'object',
  required: ['code', 'data'],
  properties: { code: { type: 'integer' }, data: { $ref: 'Content#' } },
};

/** The item by the name of its component (http/components.ts). */
const ITEM = { $ref: 'ContentListItem#' };

const page = answers(ContentPage, 'One page of items.', 401, 403);

const HEADERS = {
  ...ETAG,
  'Stoa-Index-Lag': Type.Integer({
    minimum: 1,
    description:
      'With `keyword`, where the search index does not have all changes that were made before the request: about how many of them are missing. They appear a moment later.',
  }),
};

/** Reading and searching content. */
export function contentRoutes(
  app: App,
  { store, searches, cursors, listedJson, readAccess }: ReadParts,
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
        querystring: Type.Object({ fields: FIELDS }),
        headers: IfNoneMatch,
        response: { ...found, 200: { ...found[200], headers: ETAG }, 304: NotModified },
      },
    },
    async (request, reply) => {
      const id = idIn(request.params, NOUN);
      const selection = selectionOf(request.query.fields);
      const reader = readerOf(await askerOf(request));
      const known = entityTags('If-None-Match', request.headers['if-none-match']);
      if (known) {
        // Reads no text.
        const tag = entityTagOf(await store.read(findState, { id, reader }), selection);
        if (isNamedBy(known, tag)) return cacheable(request, reply, tag).code(304).send(undefined);
      }
      const row = await store.read(findContent, { id, reader });
      const item = await largeInTurn(request, row.content.length, toRecord(row));
      cacheable(request, reply, entityTagOf(row, selection));
      reply.type('application/json; charset=utf-8');
      if (!selection) return reply.serializer(reply.compileSerializationSchema(WHOLE)).send(ok(item));
      return reply.serializer(JSON.stringify).send(ok(selected(item, selection)));
    },
  );

  app.get(
    '/api/content',
    {
      config: { access: readAccess, limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'listContent',
        tags: ['content'],
        summary: 'List and search content',
        description: 'For everybody, or only for accounts if the setting CONTENT_READ says so.',
        security: READ_SECURITY,
        querystring: ContentQuery,
        headers: IfNoneMatch,
        response: { ...page, 200: { ...page[200], headers: HEADERS }, 304: NotModified },
      },
    },
    async (request, reply) => {
      const selection = selectionOf(request.query.fields);
      const known = entityTags('If-None-Match', request.headers['if-none-match']);
      const asker = await askerOf(request);
      const query = { ...listQuery(request.query), reader: readerOf(asker) };
      const cache = selection || query.highlights ? undefined : listedJson;
      const walk = walkRequest(request, cursors);
      const inTurn = <List>(search: () => Promise<List>) => searches.run(asker, search);
      const {
        lag,
        items: listed,
        ...about
      } = walk
        ? await searchInTurn(store, walkContent, { ...query, ...walk }, inTurn)
        : await searchInTurn(store, listContent, query, inTurn);
      const besides = 'next' in about ? stepOf(request, reply, cursors, about) : about;
      if (!('next' in about)) linkPages(request, reply, about);
      if (lag > 0) reply.header('stoa-index-lag', lag);
      const entityTag = pageTagOf(listed, besides, selection);
      if (known && isNamedBy(known, entityTag))
        return cacheable(request, reply, entityTag).code(304).send(undefined);
      const items = await shownItems(store, cache, listed, besides.per_page, query.reader);
      const size = items.reduce((sum, item) => sum + sizeOf(item), 0);
      if (items.every(isJson)) holdLarge(request, size);
      else await largeInTurn(request, size, items);
      cacheable(request, reply, entityTag);
      const serialize = reply.compileSerializationSchema(ITEM);
      const jsonOf = (item: Shown) => {
        if (isJson(item)) return item;
        if (selection) return Buffer.from(JSON.stringify(selected(toListItem(item), selection)));
        const json = serialize(toListItem(item));
        return cache?.add(item, json) ?? Buffer.from(json);
      };
      return sendPage(reply, { ...besides, items: items.map(jsonOf) });
    },
  );
}

function isJson(item: Shown): item is Uint8Array {
  return item instanceof Uint8Array;
}

function sizeOf(item: Shown): number {
  return isJson(item) ? item.length : item.content.length + item.meta.length;
}

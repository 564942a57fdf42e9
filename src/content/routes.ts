import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Searches } from '../domain/admission/searches.ts';
import { notFound } from '../domain/failure.ts';
import { askerOf, signedInOn } from '../http/access.ts';
import type { Access } from '../http/declaration.ts';
import { cacheable, ETAG, entityTags, IfNoneMatch, isNamedBy, NotModified } from '../http/entity-tags.ts';
import { answers, ok } from '../http/envelope.ts';
import { sendPage } from '../http/joined-page.ts';
import { IdParams, idIn, linkPages } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLarge, largeInTurn } from '../http/under-way.ts';
import type { Store } from '../store/store.ts';
import {
  ContentPage,
  ContentQuery,
  type ContentRow,
  FIELDS,
  NOUN,
  READ_SECURITY,
  ReadContent,
  toListItem,
  toRecord,
} from './contract.ts';
import { findDraftItem, listDraftItems } from './draft-items.ts';
import { entityTagOf, pageTagOf } from './entity-tag-contract.ts';
import { findContent, findState } from './find.ts';
import { type FoundPage, list } from './list.ts';
import { draftsQuery, listQuery } from './list-query-contract.ts';
import { type ListedJsonCache, type Shown, shownItems } from './listed-json.ts';
import { selected, selectionOf } from './selection.ts';

interface ReadParts {
  readonly store: Store;
  readonly searches: Searches;
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
export function contentRoutes(app: App, { store, searches, listedJson, readAccess }: ReadParts): void {
  /** Fails with `not_found`, and as `signedInOn` does where the request has a token. */
  const readDraft = async (request: FastifyRequest, id: number): Promise<ContentRow> => {
    if (request.headers.authorization === undefined) throw notFound(NOUN);
    const { userId } = await signedInOn(request);
    return store.read(findDraftItem, { id, userId });
  };
  type Query = FastifyRequest<{ Querystring: Static<typeof ContentQuery> }>;
  const published = (request: Query): Promise<FoundPage> =>
    list(store, listQuery(request.query), async (search) => searches.run(await askerOf(request), search));
  const drafts = async (request: Query): Promise<FoundPage> => {
    const { userId } = await signedInOn(request);
    const query = { ...draftsQuery(request.query), userId };
    const found = await searches.run(await askerOf(request), () => store.read(listDraftItems, query));
    return { ...found, lag: 0 };
  };

  app.get(
    '/api/content/:id',
    {
      config: { access: readAccess, limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'getContent',
        tags: ['content'],
        summary: 'Read a content item',
        description:
          'For everybody, or only for accounts if the setting CONTENT_READ says so. A draft is there for its author, editors and admins only.',
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
      const known = entityTags('If-None-Match', request.headers['if-none-match']);
      const unchanged = (tag: string) => cacheable(request, reply, tag).code(304).send(undefined);
      if (known) {
        // Reads no text.
        const state = await store.read(findState, id);
        const tag = state && entityTagOf(state, selection);
        if (tag && isNamedBy(known, tag)) return unchanged(tag);
      }
      const row = (await store.read(findContent, id)) ?? (await readDraft(request, id));
      if (known && row.status === 'draft' && isNamedBy(known, entityTagOf(row, selection)))
        return unchanged(entityTagOf(row, selection));
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
      const isOfDrafts = request.query.status === 'draft';
      const { lag, ...found } = await (isOfDrafts ? drafts(request) : published(request));
      linkPages(request, reply, found);
      if (lag > 0) reply.header('stoa-index-lag', lag);
      const entityTag = pageTagOf(found, selection);
      if (known && isNamedBy(known, entityTag))
        return cacheable(request, reply, entityTag).code(304).send(undefined);
      const items = await shownItems(store, selection ? undefined : listedJson, found);
      const size = items.reduce((sum, item) => sum + sizeOf(item), 0);
      if (items.every(isJson)) holdLarge(request, size);
      else await largeInTurn(request, size, items);
      cacheable(request, reply, entityTag);
      const serialize = reply.compileSerializationSchema(ITEM);
      const jsonOf = (item: Shown) => {
        if (isJson(item)) return item;
        if (selection) return Buffer.from(JSON.stringify(selected(toListItem(item), selection)));
        return listedJson.add(item, serialize(toListItem(item)));
      };
      return sendPage(reply, { ...found, items: items.map(jsonOf) });
    },
  );
}

function isJson(item: Shown): item is Uint8Array {
  return item instanceof Uint8Array;
}

function sizeOf(item: Shown): number {
  return isJson(item) ? item.length : item.content.length + item.meta.length;
}

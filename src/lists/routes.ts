import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AS_STRANGER, READ_SECURITY, toListItem } from '../content/contract.ts';
import { selected, selectionOf } from '../content/selection.ts';
import { readerOf } from '../content/visibility.ts';
import type { Asker, FairQueue } from '../domain/admission/fair-queue.ts';
import type { Cursors } from '../domain/cursors.ts';
import type { Page } from '../domain/page.ts';
import { askerOf, signedInOn } from '../http/access.ts';
import type { Access } from '../http/declaration.ts';
import { cacheable, ETAG, IfNoneMatch, isNamedBy, knownTags, NotModified } from '../http/entity-tags.ts';
import { answers } from '../http/envelope.ts';
import { sendPage } from '../http/joined-page.ts';
import { linkPages } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLarge, largeInTurn } from '../http/under-way.ts';
import { stepOf, walkRequest } from '../http/walking.ts';
import { searchInTurn } from '../search/search-in-turn.ts';
import type { Store } from '../store/store.ts';
import { ContentPage, ContentQuery } from './contract.ts';
import { deepestPage, endsEarly, upToDeepest } from './deepest.ts';
import { listDrafts, walkDrafts } from './drafts.ts';
import { namesOf } from './entity-tag-contract.ts';
import { listContent } from './list.ts';
import { draftsQuery, listQuery } from './list-query-contract.ts';
import { type ListedJsonCache, type Shown, shownItems } from './listed-json.ts';
import { readListed } from './rows.ts';
import { walkContent } from './walk.ts';

interface ListParts {
  readonly store: Store;
  readonly searches: FairQueue;
  readonly cursors: Cursors;
  readonly listedJson: ListedJsonCache;
  readonly readAccess: Access;
}

/** The item by the name of its component (http/components.ts). */
const ITEM = { $ref: 'ContentListItem#' };

const page = answers(ContentPage, 'One page of items.', 401, 403);

export const LAG_HEADER = 'Stoa-Index-Lag';
const HEADERS = {
  ...ETAG,
  [LAG_HEADER]: Type.Integer({
    minimum: 1,
    description:
      'With `keyword`, where the search index does not have all changes that were made before the request: about how many of them are missing. They appear a moment later.',
  }),
};

/** Listing and searching content. */
export function listRoutes(app: App, parts: ListParts): void {
  const { store, searches, cursors, listedJson, readAccess } = parts;
  type Query = FastifyRequest<{ Querystring: Static<typeof ContentQuery> }>;

  /** What the query asks for: drafts, a step of a walk, or a page, whose links are set. */
  const listed = async (request: Query, reply: FastifyReply, asker: Asker) => {
    const inTurn = <List>(search: () => Promise<List>) => searches.run(asker, search);
    const walk = walkRequest(request, cursors);
    const { status = 'published' } = request.query;
    if (status !== 'published') {
      const query = { ...draftsQuery(request.query), status, userId: (await signedInOn(request)).userId };
      if (walk) return { ...(await inTurn(() => store.read(walkDrafts, { ...query, ...walk }))), lag: 0 };
      const drafts = await inTurn(() => store.read(listDrafts, query));
      return { ...linked(request, reply, drafts, query.sort !== 'id'), lag: 0 };
    }
    const query = { ...listQuery(request.query), reader: readerOf(asker) };
    if (walk) return searchInTurn(store, walkContent, { ...query, ...walk }, inTurn);
    const found = await searchInTurn(store, listContent, query, inTurn);
    return linked(request, reply, found, endsEarly(query));
  };

  app.get(
    '/api/content',
    {
      config: { access: readAccess, limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'listContent',
        tags: ['content'],
        summary: 'List and search content',
        description: `For everybody, or only for accounts if the setting CONTENT_READ says so. ${AS_STRANGER}`,
        security: READ_SECURITY,
        querystring: ContentQuery,
        headers: IfNoneMatch,
        response: { ...page, 200: { ...page[200], headers: HEADERS }, 304: NotModified },
      },
    },
    async (request, reply) => {
      const selection = selectionOf(request.query.fields);
      const known = knownTags(request);
      const asker = await askerOf(request, reply);
      const { lag, items: found, ...about } = await listed(request, reply, asker);
      const besides = 'next' in about ? stepOf(request, reply, cursors, about) : about;
      if (lag > 0) reply.header(LAG_HEADER, lag);
      const { keys, entityTag } = namesOf(app.epoch, found, besides, selection);
      if (known && isNamedBy(known, entityTag)) {
        cacheable(request, reply, entityTag).code(304);
        return;
      }
      const cache = selection || request.query.highlights ? undefined : listedJson;
      let items: readonly Shown[] | undefined = shownItems(cache, found, keys);
      let tag = entityTag;
      if (!items) {
        const ids = found.map(({ id }) => id);
        const reader = readerOf(asker);
        const rows = await store.read(readListed, { ids, perPage: besides.per_page, reader });
        // They may be newer than the states, and the tag has to name what is shown.
        tag = namesOf(app.epoch, rows, besides, selection).entityTag;
        items = rows;
      }
      const size = items.reduce((sum, item) => sum + sizeOf(item), 0);
      if (items.every(isJson)) holdLarge(request, size);
      else await largeInTurn(request, size, items);
      cacheable(request, reply, tag);
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

/** The page with its links, up to the deepest item where the list ends there. */
function linked<List extends Page<unknown>>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List,
  hasEnd: boolean,
): List {
  linkPages(request, reply, list, hasEnd ? deepestPage(list) : undefined);
  return hasEnd ? upToDeepest(list) : list;
}

function isJson(item: Shown): item is Uint8Array {
  return item instanceof Uint8Array;
}

function sizeOf(item: Shown): number {
  return isJson(item) ? item.length : item.content.length + item.meta.length;
}

import { Type } from 'typebox';
import type { Searches } from '../domain/admission/searches.ts';
import { askerOf } from '../http/access.ts';
import type { Access } from '../http/declaration.ts';
import { answers } from '../http/envelope.ts';
import { sendPage } from '../http/joined-page.ts';
import { linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdLarge, largeInTurn } from '../http/under-way.ts';
import type { Store } from '../store/store.ts';
import { ContentPage, ContentQuery, READ_SECURITY, toListItem } from './contract.ts';
import { list } from './list.ts';
import { type ListedJsonCache, type Shown, shownItems } from './listed-json.ts';

interface ListParts {
  readonly store: Store;
  readonly searches: Searches;
  readonly listedJson: ListedJsonCache;
  readonly readAccess: Access;
}

/** The item by the name of its component (http/components.ts). */
const ITEM = { $ref: 'ContentListItem#' };

const page = answers(ContentPage, 'One page of items.', 401, 403);

const HEADERS = {
  'Stoa-Index-Lag': Type.Integer({
    minimum: 1,
    description:
      'With `keyword`, where the search index does not have all changes that were made before the request: about how many of them are missing. They appear a moment later.',
  }),
};

export function listContentRoute(app: App, { store, searches, listedJson, readAccess }: ListParts): void {
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
        response: { ...page, 200: { ...page[200], headers: HEADERS } },
      },
    },
    async (request, reply) => {
      const { keyword = '', category = '', tag = '', author, ...paging } = request.query;
      const query = { ...pageRequest(paging), keyword, category, tag, author };
      const { lag, ...found } = await list(store, query, async (search) =>
        searches.run(await askerOf(request), search),
      );
      linkPages(request, reply, found);
      if (lag > 0) reply.header('stoa-index-lag', lag);
      const items = await shownItems(store, listedJson, found);
      const size = items.reduce((sum, item) => sum + sizeOf(item), 0);
      if (items.every(isJson)) holdLarge(request, size);
      else await largeInTurn(request, size, items);
      const serialize = reply.compileSerializationSchema(ITEM);
      const jsonOf = (item: Shown) =>
        isJson(item) ? item : listedJson.add(item, serialize(toListItem(item)));
      return sendPage(reply, { ...found, items: items.map(jsonOf) });
    },
  );
}

function isJson(item: Shown): item is Uint8Array {
  return item instanceof Uint8Array;
}

function sizeOf(item: Shown): number {
  return isJson(item) ? item.length : item.content.length;
}

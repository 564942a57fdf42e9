import { Type } from 'typebox';
import { type Access, askerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { largeInTurn } from '../http/large-answers.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Searches } from '../services/searches/searches.ts';
import type { Store } from '../store/store.ts';
import { ContentPage, ContentQuery, READ_SECURITY, toListItem } from './contract.ts';
import { list } from './list.ts';

const page = answers(ContentPage, 'One page of items.', 401, 403);

const HEADERS = {
  'Stoa-Index-Lag': Type.Integer({
    minimum: 1,
    description:
      'With `keyword`, where the search index does not have all changes that were made before the request: about how many of them are missing. They appear a moment later.',
  }),
};

export function listContentRoute(
  app: App,
  { store, searches, readAccess }: { store: Store; searches: Searches; readAccess: Access },
): void {
  app.get(
    '/api/content',
    {
      config: { access: readAccess, programs: 'read' },
      preValidation: integersIn('query', ['page', 'per_page', 'author']),
      schema: {
        operationId: 'listContent',
        tags: ['content'],
        summary: 'List and search content',
        description: 'For everybody, or for accounts alone where the setting CONTENT_READ says so.',
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
      const items = found.items.map(toListItem);
      const size = items.reduce((length, { content }) => length + content.length, 0);
      return largeInTurn(request, size, ok({ ...found, items }));
    },
  );
}

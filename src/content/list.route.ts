import { type Access, askerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { largeInTurn } from '../http/large-answers.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Searches } from '../services/searches/searches.ts';
import type { Store } from '../store/store.ts';
import { ContentPage, ContentQuery, READ_SECURITY, toListItem } from './contract.ts';
import { list } from './list.ts';

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
        response: answers(ContentPage, 'One page of items.', 401, 403),
      },
    },
    async (request, reply) => {
      const { keyword = '', category = '', tag = '', author, ...paging } = request.query;
      const query = { ...pageRequest(paging), keyword, category, tag, author };
      const page = await list(store, query, async (search) => searches.run(await askerOf(request), search));
      linkPages(request, reply, page);
      const items = page.items.map(toListItem);
      const size = items.reduce((length, { content }) => length + content.length, 0);
      return largeInTurn(request, size, ok({ ...page, items }));
    },
  );
}

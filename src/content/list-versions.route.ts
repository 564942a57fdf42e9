import { Type } from 'typebox';
import type { Searches } from '../domain/admission/searches.ts';
import { askerOf, callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { IdParams, idIn, linkPages, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { NOUN } from './contract.ts';
import { listVersions } from './list-versions.ts';
import { toVersionSummary, VersionPage } from './versions-contract.ts';

export function listVersionsRoute(app: App, { store, searches }: { store: Store; searches: Searches }): void {
  app.get(
    '/api/content/:id/versions',
    {
      config: { access: 'signed_in', limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'listContentVersions',
        tags: ['content'],
        summary: 'The versions of a content item',
        description:
          'When and by whom each version was made, and what it changed. For the author of the item, editors and admins.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(VersionPage, 'One page of versions.', 401, 403, 404),
      },
    },
    async (request, reply) => {
      const id = idIn(request.params, NOUN);
      const { userId } = callerOf(request);
      const query = { id, userId, ...pageRequest(request.query) };
      const page = await searches.run(await askerOf(request), () => store.read(listVersions, query));
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toVersionSummary) });
    },
  );
}

import { AS_STRANGER, READ_SECURITY } from '../content/contract.ts';
import { readerOf } from '../content/visibility.ts';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import { askerOf } from '../http/access.ts';
import type { Access } from '../http/declaration.ts';
import { answers } from '../http/envelope.ts';
import { okPage, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { LabelPage, LabelQuery } from './contract.ts';
import { listedLabels } from './list.ts';

interface LabelParts {
  readonly store: Store;
  readonly searches: FairQueue;
  readonly readAccess: Access;
}

const LISTS = [
  { path: '/api/content/tags', kind: 'tag', operationId: 'listTags', summary: 'The tags of content' },
  {
    path: '/api/content/categories',
    kind: 'category',
    operationId: 'listCategories',
    summary: 'The categories of content',
  },
] as const;

/** Which labels there are, and how many items have each. */
export function labelRoutes(app: App, { store, searches, readAccess }: LabelParts): void {
  for (const { path, kind, operationId, summary } of LISTS)
    app.get(
      path,
      {
        config: { access: readAccess, limits: [], shows: 'visible', programs: 'read' },
        schema: {
          operationId,
          tags: ['content'],
          summary,
          description: `With the number of items that the caller may see; names without one are left out. ${AS_STRANGER}`,
          security: READ_SECURITY,
          querystring: LabelQuery,
          response: answers(LabelPage, 'One page of names.', 401, 403),
        },
      },
      async (request, reply) => {
        const { prefix = '' } = request.query;
        const asker = await askerOf(request, reply);
        const query = { ...pageRequest(request.query), kind, prefix, reader: readerOf(asker) };
        const page = await searches.run(asker, () => listedLabels(store, query));
        return okPage(request, reply, page, (label) => label);
      },
    );
}

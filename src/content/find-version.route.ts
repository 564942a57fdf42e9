import { callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { heavyTurn, largeInTurn } from '../http/under-way.ts';
import type { Store } from '../store/store.ts';
import { wholeVersion } from './find-version.ts';
import { ContentVersion, toVersion, VersionParams, versionIn } from './versions-contract.ts';

export function findVersionRoute(app: App, { store }: { store: Store }): void {
  app.get(
    '/api/content/:id/versions/:version',
    {
      config: { access: 'signed_in', limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'getContentVersion',
        tags: ['content'],
        summary: 'Read a version of a content item',
        description:
          'The present version, or an earlier one. For the author of the item, editors and admins.',
        params: VersionParams,
        response: answers(ContentVersion, 'The version.', 401, 403, 404),
      },
    },
    async (request) => {
      const asked = { ...versionIn(request.params), userId: callerOf(request).userId };
      const found = await wholeVersion(store, asked, () => heavyTurn(request));
      return largeInTurn(request, found.written.content.length, ok(toVersion(found)));
    },
  );
}

import type { Searches } from '../domain/admission/searches.ts';
import { askerOf, callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { heavyTurn, largeInTurn } from '../http/under-way.ts';
import type { Store } from '../store/store.ts';
import { compareVersions } from './compare-versions.ts';
import { DifferenceQuery, toDifference, VersionDifference } from './difference-contract.ts';
import { VersionParams, versionIn } from './versions-contract.ts';

interface Parts {
  readonly store: Store;
  /** Differences wait here for their turn. */
  readonly differences: Searches;
}

/** More than the texts of an answer have. */
const LARGE = 256 * 1024;

export function compareVersionsRoute(app: App, { store, differences }: Parts): void {
  app.get(
    '/api/content/:id/versions/:version/difference',
    {
      config: { access: 'signed_in', limits: [], shows: 'visible', programs: 'read' },
      schema: {
        operationId: 'compareContentVersions',
        tags: ['content'],
        summary: 'What differs in two versions of a content item',
        description:
          'The members that differ, and the lines and words of the text. For the author of the item, editors and admins.',
        params: VersionParams,
        querystring: DifferenceQuery,
        response: answers(VersionDifference, 'The difference.', 401, 403, 404),
      },
    },
    async (request) => {
      const { id, version: to } = versionIn(request.params);
      const asked = { id, userId: callerOf(request).userId, from: request.query.from ?? to - 1, to };
      const compared = await differences.run(await askerOf(request), () =>
        compareVersions(store, asked, () => heavyTurn(request)),
      );
      return largeInTurn(request, LARGE, ok(toDifference(asked, compared)));
    },
  );
}

import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { ContentChange, ContentRecord, NOUN, takesContent, toRecord } from './contract.ts';
import { updateContent } from './update.ts';

export function updateContentRoute(app: App, { store, clock }: { store: Store; clock: () => number }): void {
  app.put(
    '/api/content/:id',
    {
      ...takesContent,
      config: { access: 'signed_in' },
      preValidation: [integersIn('params', ['id']), takesContent.preValidation],
      schema: {
        operationId: 'updateContent',
        tags: ['content'],
        summary: 'Change a content item',
        description: 'Changes the members that are given. For its author, editors and admins.',
        params: IdParams,
        body: ContentChange,
        response: answers(ContentRecord, 'The item as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const change = givenMembers(request.body);
      const id = idIn(request.params, NOUN);
      const row = await store.write(updateContent, { id, caller: callerOf(request), change, now: clock() });
      return ok(toRecord(row));
    },
  );
}

/** Only what a client may change; unknown members are ignored. */
function givenMembers({ title, content, category, tags }: ContentChange): ContentChange {
  return {
    ...(title === undefined ? {} : { title }),
    ...(content === undefined ? {} : { content }),
    ...(category === undefined ? {} : { category }),
    ...(tags === undefined ? {} : { tags }),
  };
}

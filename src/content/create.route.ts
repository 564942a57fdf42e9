import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { largeInTurn } from '../http/large-answers.ts';
import type { App } from '../http/server.ts';
import { ContentRecord, itemLinks, NewContent, takesContent, toRecord } from './contract.ts';
import { create } from './create.ts';
import type { ContentWrites } from './writes.ts';

export function createContentRoute(app: App, { store, writes, stored, clock }: ContentWrites): void {
  app.post(
    '/api/content',
    {
      ...takesContent,
      config: { access: 'signed_in', programs: 'write', ignoresUnknown: true },
      schema: {
        operationId: 'createContent',
        tags: ['content'],
        summary: 'Create a content item',
        description: 'The caller becomes its author.',
        body: NewContent,
        response: answers(ContentRecord, 'The new item.', 401, 403, ...BODY_FAILURES),
      },
      links: itemLinks('getContent', 'updateContent', 'deleteContent'),
    },
    async (request) => {
      const { title, content, category = '', tags = [] } = request.body;
      const [caller, now] = [callerOf(request), clock()];
      writes.spend(caller.userId, now, title, content, category, ...tags);
      await stored.spend(caller.userId, now, content);
      const item = toRecord(await create(store, { title, content, category, tags, caller, now }));
      return largeInTurn(request, content.length, ok(item));
    },
  );
}

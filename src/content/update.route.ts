import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { largeInTurn } from '../http/large-answers.ts';
import { LIMITS } from '../http/limits.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { holdBytes } from '../http/under-way.ts';
import type { Store } from '../store/store.ts';
import { ContentChange, ContentRecord, NOUN, takesContent, toRecord } from './contract.ts';
import { sizeOfContent } from './find.ts';
import { updateContent } from './update.ts';
import type { ContentWrites } from './writes.ts';

export function updateContentRoute(app: App, { store, writes, stored, clock }: ContentWrites): void {
  app.put(
    '/api/content/:id',
    {
      ...takesContent,
      config: { access: 'signed_in', programs: 'write', ignoresUnknown: true },
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
      if (change.content === undefined) await holdAnswer(request, store, id);
      const [caller, now] = [callerOf(request), clock()];
      const { title = '', content = '', category = '', tags = [] } = change;
      writes.spend(caller.userId, now, title, content, category, ...tags);
      await stored.spend(caller.userId, now, content);
      const item = toRecord(await store.write(updateContent, { id, caller, change, now }));
      return largeInTurn(request, item.content.length, ok(item));
    },
  );
}

/** The answer has the content that stays; what comes in the body counts already. Fails with `too_many_requests`. */
async function holdAnswer(request: FastifyRequest, store: Store, id: number): Promise<void> {
  const bytes = await store.read(sizeOfContent, id);
  if (bytes >= LIMITS.large) holdBytes(request, bytes);
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
